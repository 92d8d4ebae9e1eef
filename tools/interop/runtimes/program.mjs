/** A shop of one report and a buyer, on what every runtime has: Request, Response and fetch. */
import { privateKeySigner, wrapFetch } from "@farthing/buyer";

/** The options of the seller. */
export const sellerOptions = ({ facilitatorUrl, payTo, network }) => ({
  facilitator: { url: facilitatorUrl },
  payTo,
  network,
  price: "0.01",
  // The figures come from the responses and the chain.
  onEvent: () => {},
});

/** Buys what an address sells, with the wallet of the settings. */
export async function buy({ privateKey, rpcUrl }, url) {
  const pay = wrapFetch(fetch, { signer: privateKeySigner(privateKey), rpcUrl });
  const response = await pay(url);
  const { state } = response.payment;
  return { status: response.status, text: await response.text(), state };
}

/** Responds to `/buy?url=…` with what came of the purchase, and to `/report` with `sell`. */
export async function respond(request, settings, sell) {
  const { pathname, searchParams } = new URL(request.url);
  if (pathname === "/report") return sell(request);
  if (pathname !== "/buy") return new Response("Not found\n", { status: 404 });
  try {
    return Response.json(await buy(settings, searchParams.get("url")));
  } catch (error) {
    return Response.json({ status: 0, text: String(error?.stack ?? error) });
  }
}
