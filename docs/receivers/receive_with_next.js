import { isAuthentic } from "./webhook_webcrypto.mjs";

export async function POST(request) {
  // Not when the module is loaded: `next build` does that too, and may not have the secret.
  const secret = new TextEncoder().encode(process.env.PROFILE_WEBHOOK_SECRET);
  if (!secret.length) throw new Error("PROFILE_WEBHOOK_SECRET is not set");
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
    return new Response(null, { status: { RangeError: 413, TimeoutError: 408 }[error.name] ?? 400 });
  }
  // `get` joins repeated headers, which makes the signature invalid.
  const signature = request.headers.get("X-Service-Signature");
  if (!(await isAuthentic(secret, signature, body))) return new Response(null, { status: 401 });
  console.log(new TextDecoder().decode(body)); // Put it into a queue.
  return new Response(null, { status: 204 });
}
