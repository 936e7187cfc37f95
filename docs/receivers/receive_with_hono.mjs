import { Hono } from "hono";
import { isAuthentic } from "./webhook_webcrypto.mjs";

// In Cloudflare Workers, process.env needs the compatibility flag nodejs_compat.
const secret = new TextEncoder().encode(process.env.PROFILE_WEBHOOK_SECRET);
if (!secret.length) throw new Error("PROFILE_WEBHOOK_SECRET is not set");

const app = new Hono();

app.post("/hooks", async (context) => {
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
    const limited = context.req.raw.body?.pipeThrough(limit, { signal: AbortSignal.timeout(10_000) });
    body = await new Response(limited).arrayBuffer();
  } catch (error) {
    return context.body(null, { RangeError: 413, TimeoutError: 408 }[error.name] ?? 400);
  }
  // Hono joins repeated headers, which makes the signature invalid.
  const signature = context.req.header("X-Service-Signature");
  if (!(await isAuthentic(secret, signature, body))) return context.body(null, 401);
  console.log(new TextDecoder().decode(body)); // Put it into a queue.
  return context.body(null, 204);
});

export default app;
