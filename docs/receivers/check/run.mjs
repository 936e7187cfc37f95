import { readFileSync } from "node:fs";

const { isAuthentic } = await import(`../${process.argv[2]}`);
for (const line of readFileSync(0, "utf8").trimEnd().split("\n")) {
  const [secret, signature, body] = line.split(" ").map((field) => Buffer.from(field, "base64"));
  console.log(await isAuthentic(secret, signature.toString() || undefined, body));
}
