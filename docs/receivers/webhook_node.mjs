import { createHmac, timingSafeEqual } from "node:crypto";

// `signature` is the header X-Service-Signature, and `body` is the raw request body, a Buffer.
export function isAuthentic(secret, signature, body) {
  if (typeof signature !== "string") return false;
  const digest = /^sha256=([0-9A-Fa-f]{64})$/.exec(signature)?.[1];
  if (!digest) return false;
  const expected = createHmac("sha256", secret).update(body).digest();
  return timingSafeEqual(expected, Buffer.from(digest, "hex"));
}
