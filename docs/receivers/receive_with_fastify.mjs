import Fastify from "fastify";
import { isAuthentic, readSecret } from "./webhook_node.mjs";

const secret = readSecret();
// Otherwise, a log that cannot be written ends the program.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

async function enqueue(body) {
  process.stdout.write(body); // Put it into a queue.
}

const reject = (reply, status, reason) => {
  console.error(`webhook rejected with ${status}: ${reason}`);
  return reply.code(status).send();
};

// Milliseconds to receive the headers, and the whole request. Node checks them at this interval.
const http = { headersTimeout: 10_000, requestTimeout: 10_000, connectionsCheckingInterval: 1_000 };
const app = Fastify({ requestTimeout: 10_000, return503OnClosing: false, http });

// Within `register`, so that other routes keep their parsers.
app.register(async (hooks) => {
  // Every body as it was sent. Without the first line, Fastify parses JSON, and responds with 415 to a
  // genuine delivery whose content type is not valid.
  hooks.addHook("onRequest", async (request) => void delete request.headers["content-type"]);
  hooks.removeAllContentTypeParsers(); // Those of the application, too.
  hooks.addContentTypeParser("*", { parseAs: "buffer" }, (request, body, done) => done(null, body));
  // A body that is too large or breaks off. Without this, the response contains the message.
  hooks.setErrorHandler((error, request, reply) => reject(reply, error.statusCode ?? 500, error.code));

  hooks.post("/hooks", { bodyLimit: 1 << 20 }, async (request, reply) => {
    const signature = request.headers["x-service-signature"];
    // Fastify sets no body for an empty one.
    const body = request.body ?? Buffer.alloc(0);
    if (!Buffer.isBuffer(body)) return reject(reply, 401, "the body was parsed before the handler");
    if (!isAuthentic(secret, signature, body)) {
      return reject(reply, 401, "the signature is missing or not valid");
    }
    try {
      await enqueue(body);
    } catch (error) {
      console.error("webhook failed: %j", error.message);
      return reply.code(500).send();
    }
    return reply.code(204).send();
  });
});

await app.listen({ host: process.env.LISTEN_HOST || "127.0.0.1", port: Number(process.env.PORT || 8080) });
// Answers the deliveries on the way, and ends. Fastify keeps their connections for 72 seconds otherwise.
const stop = () => {
  app.server.keepAliveTimeout = 1;
  app.close();
};
for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, stop);
