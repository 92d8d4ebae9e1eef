/**
 * What the sellers of published packages share: the middleware that charges for `GET /report`, of the
 * packages in the folder that the first argument names, with the variables of `farthing conform`.
 */
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

export const charge = stock.paymentMiddleware(
  { "GET /report": { accepts, description: "Report" } },
  server,
);

export const port = Number(env.PORT);
