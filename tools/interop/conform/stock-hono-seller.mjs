/**
 * A seller of published packages behind Hono: `node stock-hono-seller.mjs <folder of the packages>`, with
 * the variables of `farthing conform`.
 */
import { serve } from "@hono/node-server";
import { Hono } from "hono";

const env = process.env;
const stock = await import(new URL(`../${process.argv[2]}/index.mjs`, import.meta.url).href);

const client = new stock.HTTPFacilitatorClient({ url: env.CONFORM_FACILITATOR_URL });
const server = new stock.x402ResourceServer(client).register(
  env.CONFORM_NETWORK,
  new stock.ExactEvmSeller(),
);
const accepts = {
  scheme: "exact",
  network: env.CONFORM_NETWORK,
  payTo: env.CONFORM_PAY_TO,
  price: {
    amount: env.CONFORM_PRICE,
    asset: env.CONFORM_ASSET,
    extra: { name: env.CONFORM_ASSET_NAME, version: env.CONFORM_ASSET_VERSION },
  },
};
const app = new Hono();
app.use(stock.paymentMiddleware({ "GET /report": { accepts, description: "Report" } }, server));
let reports = 0;
app.get("/report", (context) => context.json({ report: ++reports }));
serve({ fetch: app.fetch, port: Number(env.PORT), hostname: "127.0.0.1" });
