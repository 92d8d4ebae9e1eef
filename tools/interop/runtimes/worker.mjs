/** The program as a Cloudflare Worker, on Hono, with the records of payments in a Durable Object. */
import { createDurableObjectGrants } from "@farthing/seller/durable-object";
import { farthing } from "@farthing/seller/hono";
import { Hono } from "hono";
import { respond, sellerOptions } from "./program.mjs";

export { PaymentRecordsObject } from "@farthing/seller/durable-object";

let app;

function createApp({ SETTINGS, RECORDS }) {
  const settings = JSON.parse(SETTINGS);
  const charge = farthing({
    ...sellerOptions(settings),
    grants: createDurableObjectGrants({ namespace: RECORDS }),
  });
  let reports = 0;
  const created = new Hono();
  created.get("/report", charge(), (c) => c.json({ report: ++reports }));
  created.get("/buy", (c) => respond(c.req.raw, settings));
  return created;
}

export default {
  fetch(request, env, context) {
    app ??= createApp(env);
    return app.fetch(request, env, context);
  },
};
