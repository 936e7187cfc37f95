// Serves receive_with_hono.mjs under Node.js.
import { serve } from "@hono/node-server";

const { default: app, POST } = await import(`./${process.argv[2]}`);
// Milliseconds to receive the headers, and the whole request. Node checks them at this interval.
const serverOptions = { headersTimeout: 10_000, requestTimeout: 10_000, connectionsCheckingInterval: 1_000 };
const port = Number(process.env.PORT ?? 8080);
// The handler for Next.js is a function of its own, called POST.
serve({ fetch: app?.fetch ?? POST, hostname: "127.0.0.1", port, serverOptions });
