/** The Hono adapter. */
import { Hono } from "hono";
import { farthing, type PaidEnvironment } from "./hono.ts";
import { listenFetch } from "./listen.testing.ts";
import { sellerSuite } from "./seller.suite.ts";

sellerSuite("hono", (options, route, app) => {
  const hono = new Hono<PaidEnvironment>();
  hono.use("*", farthing(options)(route));
  hono.all("*", async (c) => {
    const request = { body: await c.req.text(), payment: c.get("payment") };
    const { body = "", status = 200, headers = {} } = await app(request);
    return new Response(body, { status, headers });
  });
  // Hono's own answer to an error, without its line on the console.
  hono.onError((_error, c) => c.text("Internal Server Error", 500));
  return listenFetch((request) => hono.fetch(request));
});
