/** A facilitator for which every payment is good: what is measured is the seller's side. */
import { createServer } from "node:http";
import { text as readText } from "node:stream/consumers";
import { isObject, member, parseJson } from "@farthing/protocol";
import { addressOf } from "@farthing/seller/testing/listen";

/** The payee of all that is sold here. */
export const payTo = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C";

const network = "eip155:50";
const transaction = `0x${"cd".repeat(32)}`;

export interface YesFacilitator {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts it in this process. */
export async function startYesFacilitator(): Promise<YesFacilitator> {
  const server = createServer((request, response) => {
    void readText(request).then((body) => {
      response.setHeader("Content-Type", "application/json");
      return response.end(JSON.stringify(responseTo(request.url ?? "", body)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: addressOf(server),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function responseTo(path: string, body: string): object {
  if (path === "/supported") return { kinds: [{ x402Version: 2, scheme: "exact", network }] };
  const payer = payerIn(parseJson(body)?.value);
  if (path === "/verify") return { isValid: true, payer };
  return { success: true, payer, transaction, network };
}

function payerIn(asked: unknown): unknown {
  const inside = ["paymentPayload", "payload", "authorization", "from"];
  return inside.reduce<unknown>((found, name) => isObject(found) && member(found, name), asked);
}
