import Fastify from "fastify";
import { isAuthentic } from "./webhook_node.mjs";

const secret = process.env.PROFILE_WEBHOOK_SECRET;
if (!secret) throw new Error("PROFILE_WEBHOOK_SECRET is not set");

// Milliseconds to receive the headers, and the whole request. Node checks them at this interval.
const http = { headersTimeout: 10_000, requestTimeout: 10_000, connectionsCheckingInterval: 1_000 };
const app = Fastify({ bodyLimit: 1 << 20, requestTimeout: 10_000, http });
// Every body as it was sent. Without the first line, Fastify parses JSON, and responds with 415 to a
// genuine delivery whose content type is not valid.
app.addHook("onRequest", async (request) => void delete request.headers["content-type"]);
app.addContentTypeParser("*", { parseAs: "buffer" }, (request, body, done) => done(null, body));

app.post("/hooks", async (request, reply) => {
  const signature = request.headers["x-service-signature"];
  // Fastify sets no body for an empty one. Anything but a Buffer was parsed before.
  const body = request.body ?? Buffer.alloc(0);
  if (!Buffer.isBuffer(body) || !isAuthentic(secret, signature, body)) {
    return reply.code(401).send();
  }
  console.log(body.toString()); // Put it into a queue.
  return reply.code(204).send();
});

await app.listen({ host: "127.0.0.1", port: Number(process.env.PORT ?? 8080) });
