/** Decides whether a 402 is paid over a channel: where it passes every check, and pays off. */
import { isSameAddress } from "@farthing/protocol";
import type { Ledger } from "../ledger/ledger.ts";
import { checkOffer, checkRequestUrl, type Check } from "../offer/check-offer.ts";
import { contextOf, quoteOf, type Quote } from "../offer/quote.ts";
import type { Offer } from "../offer/read-challenge.ts";
import type { PayingTools } from "../pay-once.ts";
import { refusedPayment, type RefusalCode } from "../payment-error.ts";
import type { UnpaidCall } from "../send-with-token.ts";
import { isOfSeller, type ChannelRecord } from "./channel-record.ts";
import { callsWindowMs } from "./channel-options.ts";
import {
  asSinglePayment,
  checkChannel,
  readChannelOffer,
  type ChannelOffer,
} from "./check-channel.ts";
import type { OfferedChannels } from "./find-channel-offer.ts";

/** A ledger that keeps channels. */
export type ChannelLedger = Ledger & Required<Pick<Ledger, "changeChannels" | "listChannels">>;

export interface ChannelTools extends PayingTools {
  readonly ledger: ChannelLedger;
}

export interface ChosenChannel {
  readonly offer: ChannelOffer;
  readonly quote: Quote;
  /** The entry with what the challenge says around it. */
  readonly single: Offer;
  /** A single payment is offered as well. */
  readonly hasOthers: boolean;
}

/**
 * Undefined where the request is paid by a single payment. Throws a PaymentError where the seller
 * offers nothing but channels and none can be used, and where a channel to it was stopped.
 */
export async function chooseChannel(
  tools: ChannelTools,
  { request, terms }: UnpaidCall,
  response: Response,
  offered: OfferedChannels,
): Promise<ChosenChannel | undefined> {
  const { signer: payer, channels, ledger, allow, runtime } = tools;
  const { policy } = channels;
  const { hasOthers } = offered;
  const refuse = (code: RefusalCode, message: string) => {
    if (hasOthers) return undefined;
    throw refusedPayment(code, message, terms.requestId);
  };
  const readings = offered.entries.map((raw) => readChannelOffer({ payer, policy }, raw));
  const reading = readings.find(({ ok }) => ok) ?? readings[0];
  if (!reading?.ok) return refuse("channel_unusable", reading?.message ?? "There is no entry.");
  const { offer } = reading;
  const payUrl = response.url === "" ? request.url : response.url;
  const { host } = new URL(payUrl);
  const { network, payTo } = offer.requirements;
  const ofSeller = (await ledger.listChannels()).filter((record) =>
    isOfSeller(record, { host, payTo, network: network.id }),
  );
  demandHonest(ofSeller, terms.requestId);
  const isOpen = ofSeller.some(({ channelId }) => channelId === offer.channelId);
  if (policy.use === "auto" && hasOthers && !isOpen && !(await paysOff(tools, offer, host))) {
    return undefined;
  }
  const single = asSinglePayment(offer, offered);
  const checks: Check[] = [
    ...checkRequestUrl(request.url, response, allow, request.method, runtime.now()),
    ...checkOffer(single, await contextOf(tools, single, host, terms)),
    ...checkChannel(offer, policy),
  ];
  const failed = checks.find(({ verdict }) => verdict === "fail");
  if (failed) return refuse(failed.code ?? "channel_unusable", failed.message);
  const quote = quoteOf(request, terms.requestId, payUrl, single.requirements, checks);
  return { offer, quote, single, hasOthers };
}

function demandHonest(ofSeller: readonly ChannelRecord[], requestId: string): void {
  const stopped = ofSeller.find((record) => record.stopped !== undefined);
  if (!stopped) return;
  throw refusedPayment(
    "channel_stopped",
    stoppedMessage(stopped.channelId, stopped.stopped),
    requestId,
  );
}

export const busyElsewhere =
  "Another program with this ledger has a call on this channel; a channel has one call at a time.";

/** What is wrong, and how the buyer gets their money back without the seller. */
export function stoppedMessage(channelId: string, reason: string | undefined): string {
  return `The channel ${channelId} is stopped, and no voucher is signed for it any more: ${reason ?? "its seller cannot be believed"}. Withdraw what is left from the chain with \`farthing channels withdraw\`.`;
}

/** Tells whether this seller was paid often enough lately that more calls are to be expected. */
async function paysOff(
  { ledger, runtime, channels }: ChannelTools,
  { requirements }: ChannelOffer,
  host: string,
): Promise<boolean> {
  const since = runtime.now() - callsWindowMs;
  const paid = (await ledger.list(["settled"])).filter(
    (record) =>
      record.host === host &&
      record.reservedAt > since &&
      record.network === requirements.network.id &&
      isSameAddress(record.payTo, requirements.payTo),
  );
  return paid.length >= channels.policy.afterPayments;
}
