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

const kinds = ["exact", "batch-settlement"].map((scheme) => {
  return { x402Version: 2, scheme, network };
});

function responseTo(path: string, body: string): object {
  if (path === "/supported") return { kinds };
  const request = parseJson(body)?.value;
  const channel = channelIn(request);
  if (channel) return channelResponse(path, channel);
  const payer = payerIn(request);
  if (path === "/verify") return { isValid: true, payer };
  return { success: true, payer, transaction, network };
}

interface ChannelCall {
  readonly payer: string;
  readonly channelId: string;
  /** Base units; undefined for a voucher alone. */
  readonly deposit: string | undefined;
}

/** Base units that were deposited in each channel. */
const deposited = new Map<string, bigint>();

function channelIn(asked: unknown): ChannelCall | undefined {
  const textAt = (...names: string[]) => {
    const found = ["paymentPayload", "payload", ...names].reduce(stepInto, asked);
    return typeof found === "string" ? found : undefined;
  };
  const payer = textAt("channelConfig", "payer");
  const channelId = textAt("voucher", "channelId");
  if (payer === undefined || channelId === undefined) return undefined;
  return { payer, channelId, deposit: textAt("deposit", "amount") };
}

function channelResponse(path: string, { payer, channelId, deposit }: ChannelCall): object {
  const before = deposited.get(channelId) ?? 0n;
  const stateAt = (balance: bigint) => {
    const unused = { totalClaimed: "0", withdrawRequestedAt: 0, refundNonce: "0" };
    return { channelId, balance: `${balance}`, ...unused };
  };
  if (path === "/verify") return { isValid: true, payer, extra: stateAt(before) };
  const balance = before + BigInt(deposit ?? 0);
  deposited.set(channelId, balance);
  const extra = { channelState: stateAt(balance) };
  return { success: true, payer, transaction, network, amount: deposit ?? "", extra };
}

function stepInto(found: unknown, name: string): unknown {
  return isObject(found) ? member(found, name) : undefined;
}

function payerIn(asked: unknown): unknown {
  const inside = ["paymentPayload", "payload", "authorization", "from"];
  return inside.reduce(stepInto, asked);
}
