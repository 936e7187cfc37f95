// Serves receive_with_hono.mjs under Node.js.
import { serve } from "@hono/node-server";

const { default: app, POST } = await import(`./${process.argv[2]}`);
// Otherwise, a log that cannot be written ends the program.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
// Milliseconds to receive the headers, and the whole request. Node checks them at this interval.
const serverOptions = { headersTimeout: 10_000, requestTimeout: 10_000, connectionsCheckingInterval: 1_000 };
const hostname = process.env.LISTEN_HOST || "127.0.0.1";
const port = Number(process.env.PORT || 8080);
// The handler for Next.js is a function of its own, called POST.
const server = serve({ fetch: app?.fetch ?? POST, hostname, port, serverOptions });
// Answers the deliveries on the way, and ends.
for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => server.close());
