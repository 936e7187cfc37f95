import { isAuthentic, readSecret } from "./webhook_webcrypto.mjs";

async function enqueue(body) {
  process.stdout.write(new Uint8Array(body)); // Put it into a queue.
}

export async function POST(request) {
  const respond = (status, line) => {
    if (line) console.error(line);
    return new Response(null, { status });
  };
  const reject = (status, reason) => respond(status, `webhook rejected with ${status}: ${reason}`);
  const fail = (error) => respond(500, `webhook failed: ${JSON.stringify(error.message)}`);
  let secret;
  try {
    // Not when the module is loaded: `next build` does that too, and may not have the secret.
    secret = readSecret();
  } catch (error) {
    return fail(error);
  }
  let length = 0; // Next.js limits neither the size nor the time.
  const limit = new TransformStream({
    transform(chunk, controller) {
      length += chunk.length;
      if (length > 1 << 20) throw new RangeError();
      controller.enqueue(chunk);
    },
  });
  let body;
  try {
    const limited = request.body?.pipeThrough(limit, { signal: AbortSignal.timeout(10_000) });
    body = await new Response(limited).arrayBuffer();
  } catch (error) {
    return reject({ RangeError: 413, TimeoutError: 408 }[error.name] ?? 400, "the body cannot be read");
  }
  // `get` joins repeated headers, which makes the signature invalid.
  const signature = request.headers.get("X-Service-Signature");
  if (!(await isAuthentic(secret, signature, body))) {
    return reject(401, "the signature is missing or not valid");
  }
  try {
    await enqueue(body);
  } catch (error) {
    return fail(error);
  }
  return respond(204);
}
