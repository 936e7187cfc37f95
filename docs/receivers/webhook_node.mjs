import { createHmac, timingSafeEqual } from "node:crypto";

// `signature` is the header X-Service-Signature, and `body` is the raw request body, a Buffer.
export function isAuthentic(secret, signature, body) {
  // Anyone can sign with an empty secret.
  if (!secret?.length || typeof signature !== "string") return false;
  const digest = /^sha256=([0-9A-Fa-f]{64})$/.exec(signature)?.[1];
  if (!digest) return false;
  const expected = createHmac("sha256", secret).update(body).digest();
  return timingSafeEqual(expected, Buffer.from(digest, "hex"));
}

// Returns the secret in the environment. Throws if it is empty, or was not copied exactly.
export function readSecret() {
  const secret = process.env.PROFILE_WEBHOOK_SECRET;
  if (!secret) throw new Error("PROFILE_WEBHOOK_SECRET is not set");
  // Node.js reads what is not UTF-8 as this character.
  if (secret.includes("\ufffd")) throw new Error("PROFILE_WEBHOOK_SECRET is not valid UTF-8");
  if (/^[ \t\r\n\ufeff]|[ \t\r\n]$/.test(secret)) {
    throw new Error("PROFILE_WEBHOOK_SECRET starts or ends with white space or a byte order mark");
  }
  return secret;
}
