import { subscribe } from "node:diagnostics_channel";
import { http } from "@google-cloud/functions-framework";
import { isAuthentic, readSecret } from "./webhook_node.mjs";

const secret = readSecret();
// Otherwise, a log that cannot be written ends the program.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

async function enqueue(body) {
  process.stdout.write(body); // Put it into a queue.
}

// Node.js publishes this before the framework reads the body, for which it has no settings: it reads up to
// 1 GiB, decompresses it, responds with 400 if the type is JSON but the body is not, and skips one without a
// type. It does not change a body of this type.
subscribe("http.server.request.start", ({ request, response }) => {
  request.headers["content-type"] = "application/octet-stream";
  delete request.headers["content-encoding"];
  const reject = (status, reason) => {
    if (response.headersSent) return;
    console.error(`webhook rejected with ${status}: ${reason}`);
    response.writeHead(status, { Connection: "close" }).end();
  };
  const timer = setTimeout(reject, 10_000, 408, "the body did not arrive in time");
  let length = 0;
  request.on("data", (chunk) => (length += chunk.length) > 1 << 20 && reject(413, "the body is too large"));
  request.on("close", () => clearTimeout(timer));
});

http("receive", async (request, response) => {
  if (response.headersSent) return; // Rejected above.
  const signature = request.get("X-Service-Signature");
  // The framework sets no raw body for an empty one.
  const body = request.rawBody ?? Buffer.alloc(0);
  if (!isAuthentic(secret, signature, body)) {
    console.error("webhook rejected with 401: the signature is missing or not valid");
    return response.status(401).end();
  }
  try {
    await enqueue(body);
  } catch (error) {
    console.error("webhook failed: %j", error.message);
    return response.status(500).end();
  }
  response.status(204).end();
});
