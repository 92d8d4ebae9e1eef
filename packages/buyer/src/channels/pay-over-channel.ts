/** The way from a 402 to a channel; the code for channels is loaded where a seller offers one. */
import type { Hex } from "@farthing/protocol";
import { nodesFor } from "../chain/nodes.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { PayingTools } from "../pay-once.ts";
import type { PaidResponse } from "../payment-summary.ts";
import type { UnpaidCall } from "../send-with-token.ts";
import type { ChannelRecord } from "./channel-record.ts";
import type { ChannelRefund, RefundRequest } from "./refund-channel.ts";
import { readOfferedChannels } from "./find-channel-offer.ts";

/** Undefined where the request is to be paid by a single payment. Throws a PaymentError. */
export async function payOverChannel(
  tools: PayingTools,
  call: UnpaidCall,
  response: Response,
): Promise<PaidResponse | undefined> {
  const { channels, ledger } = tools;
  if (channels.policy.use === "never" || !keepsChannels(ledger)) return undefined;
  const offered = readOfferedChannels(response);
  if (!offered) return undefined;
  const { payByChannel } = await import("./pay-by-channel.ts");
  const { host } = new URL(response.url === "" ? call.request.url : response.url);
  const nodes = nodesFor(tools.nodesOf, host);
  return payByChannel({ ...tools, ledger, nodesOf: nodes }, call, response, offered);
}

/** The channels of a buyer's ledger, and what can be done with them. */
export interface BuyerChannels {
  /** The oldest first; none where the ledger keeps no channels. */
  list(): Promise<readonly ChannelRecord[]>;
  /** Asks the seller to send back what is left. Rejects with a PaymentError where nothing was sent. */
  refund(channelId: Hex, request?: RefundRequest): Promise<ChannelRefund>;
}

export function buyerChannels(tools: PayingTools): BuyerChannels {
  const { ledger } = tools;
  return {
    list: async () => (await ledger.listChannels?.()) ?? [],
    async refund(channelId, request = {}) {
      if (!keepsChannels(ledger)) throw new TypeError("The ledger keeps no channels.");
      const { refundChannel } = await import("./refund-channel.ts");
      return refundChannel({ ...tools, ledger }, channelId, request);
    },
  };
}

function keepsChannels(
  ledger: Ledger,
): ledger is Ledger & Required<Pick<Ledger, "changeChannels" | "listChannels">> {
  return ledger.changeChannels !== undefined && ledger.listChannels !== undefined;
}
