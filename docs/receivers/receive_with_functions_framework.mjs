import { subscribe } from "node:diagnostics_channel";
import { http } from "@google-cloud/functions-framework";
import { isAuthentic } from "./webhook_node.mjs";

const secret = process.env.PROFILE_WEBHOOK_SECRET;
if (!secret) throw new Error("PROFILE_WEBHOOK_SECRET is not set");

// Node.js publishes this before the framework reads the body, for which it has no settings: it reads up to
// 1 GiB, decompresses it, responds with 400 if the type is JSON but the body is not, and skips one without a
// type. It does not change a body of this type.
subscribe("http.server.request.start", ({ request, response }) => {
  request.headers["content-type"] = "application/octet-stream";
  delete request.headers["content-encoding"];
  const reject = (status) => response.headersSent || response.writeHead(status, { Connection: "close" }).end();
  const timer = setTimeout(reject, 10_000, 408);
  let length = 0;
  request.on("data", (chunk) => (length += chunk.length) > 1 << 20 && reject(413));
  request.on("close", () => clearTimeout(timer));
});

http("receive", (request, response) => {
  if (response.headersSent) return; // Rejected above.
  const signature = request.get("X-Service-Signature");
  // The framework sets no raw body for an empty one.
  if (!isAuthentic(secret, signature, request.rawBody ?? Buffer.alloc(0))) {
    return response.status(401).end();
  }
  console.log(request.rawBody?.toString()); // Put it into a queue.
  response.status(204).end();
});
