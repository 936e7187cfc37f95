import { createServer } from "node:http";
import express from "express";
import { isAuthentic, readSecret } from "./webhook_node.mjs";

const secret = readSecret();
const app = express();
// Otherwise, a log that cannot be written ends the program.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

// Without this, Express decompresses the body, whose compressed bytes are signed.
const asSent = (request, response, next) => {
  delete request.headers["content-encoding"];
  next();
};
// Every body as it was sent, of any content type or none.
const raw = express.raw({ type: () => true, limit: "1mb" });

const reject = (response, status, reason) => {
  console.error(`webhook rejected with ${status}: ${reason}`);
  response.status(status).end();
};

async function enqueue(body) {
  process.stdout.write(body); // Put it into a queue.
}

const receive = async (request, response) => {
  const signature = request.get("X-Service-Signature");
  // Express sets no body for an empty one.
  const body = request.body ?? Buffer.alloc(0);
  if (!Buffer.isBuffer(body)) return reject(response, 401, "the body was parsed before the handler");
  if (!isAuthentic(secret, signature, body)) {
    return reject(response, 401, "the signature is missing or not valid");
  }
  try {
    await enqueue(body);
  } catch (error) {
    console.error("webhook failed: %j", error.message);
    return response.status(500).end();
  }
  response.status(204).end();
};

// Without this, a body that is too large gets a stack trace.
const unreadable = (error, request, response, next) =>
  reject(response, error.status ?? 500, error.type ?? "the body cannot be read");

app.post("/hooks", asSent, raw, receive, unreadable);

// Milliseconds to receive the headers, and the whole request. Node checks them at this interval.
const limits = { headersTimeout: 10_000, requestTimeout: 10_000, connectionsCheckingInterval: 1_000 };
const server = createServer(limits, app);
server.listen(Number(process.env.PORT || 8080), process.env.LISTEN_HOST || "127.0.0.1");
// Answers the deliveries on the way, and ends.
for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => server.close());
