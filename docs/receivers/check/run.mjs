import assert from "node:assert";
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";

const { isAuthentic } = await import(`../${process.argv[2]}`);
// No signature throws an exception, and only a text is valid.
const body = Buffer.alloc(0);
const valid = `sha256=${createHmac("sha256", "secret").update(body).digest("hex")}`;
for (const odd of [undefined, null, 1, Symbol(), Object.create(null), [valid], Buffer.from(valid), "sha256=\xff", "\ud800"]) {
  assert.equal(await isAuthentic(Buffer.from("secret"), odd, body), false);
}

for (const line of readFileSync(0, "utf8").trimEnd().split("\n")) {
  const [secret, signature, body] = line.split(" ").map((field) => Buffer.from(field, "base64"));
  console.log(await isAuthentic(secret, signature.toString() || undefined, body));
}
