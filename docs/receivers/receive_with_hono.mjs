import { Hono } from "hono";
import { isAuthentic, readSecret } from "./webhook_webcrypto.mjs";

const secret = readSecret();
const app = new Hono();

async function enqueue(body) {
  process.stdout.write(new Uint8Array(body)); // Put it into a queue.
}

app.post("/hooks", async (context) => {
  const reject = (status, reason) => {
    console.error(`webhook rejected with ${status}: ${reason}`);
    return context.body(null, status);
  };
  let length = 0; // Hono limits neither the size nor the time.
  const limit = new TransformStream({
    transform(chunk, controller) {
      length += chunk.length;
      if (length > 1 << 20) throw new RangeError();
      controller.enqueue(chunk);
    },
  });
  let body;
  try {
    // What a middleware read before is in Hono's cache.
    const { body: unread, bodyUsed } = context.req.raw;
    const read = () => new Response(unread?.pipeThrough(limit, { signal: AbortSignal.timeout(10_000) })).arrayBuffer();
    body = await (bodyUsed ? context.req.arrayBuffer() : read());
    if (body.byteLength > 1 << 20) throw new RangeError();
  } catch (error) {
    return reject({ RangeError: 413, TimeoutError: 408 }[error.name] ?? 400, "the body cannot be read");
  }
  // Hono joins repeated headers, which makes the signature invalid.
  const signature = context.req.header("X-Service-Signature");
  if (!(await isAuthentic(secret, signature, body))) {
    return reject(401, "the signature is missing or not valid");
  }
  try {
    await enqueue(body);
  } catch (error) {
    console.error("webhook failed: %j", error.message);
    return context.body(null, 500);
  }
  return context.body(null, 204);
});

export default app;
