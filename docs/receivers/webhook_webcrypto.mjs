// `secret` is a Uint8Array, `signature` is the header X-Service-Signature, and `body` is the raw
// request body, an ArrayBuffer.
export async function isAuthentic(secret, signature, body) {
  if (typeof signature !== "string") return false;
  const digest = /^sha256=([0-9A-Fa-f]{64})$/.exec(signature)?.[1];
  if (!digest) return false;
  const received = Uint8Array.from(digest.match(/../g), (pair) => parseInt(pair, 16));
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", secret, algorithm, false, ["verify"]);
  return crypto.subtle.verify("HMAC", key, received, body);
}
