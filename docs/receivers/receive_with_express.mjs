import { createServer } from "node:http";
import express from "express";
import { isAuthentic } from "./webhook_node.mjs";

const secret = process.env.PROFILE_WEBHOOK_SECRET;
if (!secret) throw new Error("PROFILE_WEBHOOK_SECRET is not set");

const app = express();
// Every body as it was sent, of any content type or none.
const raw = express.raw({ type: () => true, limit: "1mb" });

// Without this, Express decompresses the body, whose compressed bytes are signed.
app.use((request, response, next) => {
  delete request.headers["content-encoding"];
  next();
});

app.post("/hooks", raw, (request, response) => {
  const signature = request.get("X-Service-Signature");
  // Express sets no body for an empty one. Anything but a Buffer was parsed before.
  const body = request.body ?? Buffer.alloc(0);
  if (!Buffer.isBuffer(body) || !isAuthentic(secret, signature, body)) {
    return response.status(401).end();
  }
  console.log(body.toString()); // Put it into a queue.
  response.status(204).end();
});

// Without this, a body that is too large gets a stack trace.
app.use((error, request, response, next) => response.status(error.status ?? 500).end());

// Milliseconds to receive the headers, and the whole request. Node checks them at this interval.
const limits = { headersTimeout: 10_000, requestTimeout: 10_000, connectionsCheckingInterval: 1_000 };
createServer(limits, app).listen(process.env.PORT ?? 8080, "127.0.0.1");
