// Returns a promise: without `await`, every delivery is accepted. `secret` is a Uint8Array, `signature` is the header X-Service-Signature, and `body` is the raw
// request body, an ArrayBuffer.
export async function isAuthentic(secret, signature, body) {
  // Anyone can sign with an empty secret.
  if (!secret?.length || typeof signature !== "string") return false;
  const digest = /^sha256=([0-9A-Fa-f]{64})$/.exec(signature)?.[1];
  if (!digest) return false;
  const received = Uint8Array.from(digest.match(/../g), (pair) => parseInt(pair, 16));
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", secret, algorithm, false, ["verify"]);
  return crypto.subtle.verify("HMAC", key, received, body);
}

// Returns the secret in the environment. Throws if it is empty, or was not copied exactly. In Cloudflare
// Workers, process.env needs the compatibility flag nodejs_compat.
export function readSecret() {
  const secret = process.env.PROFILE_WEBHOOK_SECRET;
  if (!secret) throw new Error("PROFILE_WEBHOOK_SECRET is not set");
  // Node.js reads what is not UTF-8 as this character.
  if (secret.includes("\ufffd")) throw new Error("PROFILE_WEBHOOK_SECRET is not valid UTF-8");
  if (/^[ \t\r\n\ufeff]|[ \t\r\n]$/.test(secret)) {
    throw new Error("PROFILE_WEBHOOK_SECRET starts or ends with white space or a byte order mark");
  }
  return new TextEncoder().encode(secret);
}
