/** The calls of the facilitator for a channel. What it tells of a channel is read by one strict function. */
import {
  isObject,
  member,
  parseWireChannelState,
  statusOf,
  toChannelCallEntry,
  toChannelEntry,
  toWireBuyerPayload,
  type Address,
  type BuyerChannelPayload,
  type ChannelOffer,
  type ChannelState,
  type Hex,
  type JsonObject,
  type Network,
  type SettleResponse,
} from "@farthing/protocol";
import type { ChannelWireRequest } from "../facilitator-request.ts";
import type { Facilitator, VerifyOutcome } from "../facilitator.ts";
import type { FacilitatorFailure } from "../facilitator-order.ts";
import type { Clock } from "../clock.ts";
import { minCallMs } from "../exchange/settle.ts";

/** What a call has come to. */
export type ChannelCallEnd =
  | {
      readonly kind: "done";
      readonly settlement: SettleResponse;
      /** Of the channel that the call is about, where it is about one and it was told. */
      readonly state: ChannelState | undefined;
    }
  /** Nothing was done, and nothing will be. */
  | { readonly kind: "refused"; readonly settlement: SettleResponse }
  /** It may be done yet. */
  | { readonly kind: "pending"; readonly settlement: SettleResponse }
  | FacilitatorFailure;

/** Pause between two questions about a call that is under way: half a block. */
const questionPauseMs = 1_000;

export function requestOf(
  payload: JsonObject,
  entry: ChannelWireRequest["paymentRequirements"],
): ChannelWireRequest {
  const paymentPayload = { x402Version: 2, accepted: entry, payload } as const;
  return { x402Version: 2, paymentPayload, paymentRequirements: entry };
}

/** The body for a buyer's message. */
export function requestOfBuyer(
  payload: BuyerChannelPayload,
  offer: ChannelOffer,
): ChannelWireRequest {
  return requestOf(toWireBuyerPayload(payload), toChannelEntry(offer));
}

/** The body for a call of the seller's own. */
export function requestOfSeller(
  payload: JsonObject,
  network: Network,
  payTo: Address,
): ChannelWireRequest {
  return requestOf(payload, toChannelCallEntry(network, payTo));
}

/** Asks for the channel's state, and whether a message of a buyer is good by it. */
export function verifyCall(
  client: Facilitator,
  payload: BuyerChannelPayload,
  offer: ChannelOffer,
  timeoutMs: number,
): Promise<VerifyOutcome> {
  return client.verify(requestOfBuyer(payload, offer), { timeoutMs });
}

interface Calling {
  readonly client: Facilitator;
  readonly clock: Clock;
  readonly deadlineMs: number;
  /** The channel that the call is about. */
  readonly channelId?: Hex;
}

/** Sends a call, and asks again while it is under way: each of them has one effect, however often sent. */
export async function settleCall(
  { client, clock, deadlineMs, channelId }: Calling,
  request: ChannelWireRequest,
): Promise<ChannelCallEnd> {
  for (;;) {
    const askedAtMs = clock.now();
    const timeoutMs = Math.max(minCallMs, deadlineMs - askedAtMs);
    const outcome = await client.settle(request, { timeoutMs });
    if (outcome.kind !== "settlement") return outcome;
    const { settlement } = outcome;
    const status = statusOf(settlement);
    if (status === "failed") return { kind: "refused", settlement };
    if (status === "confirmed") {
      const told = settlement.extra && member(settlement.extra, "channelState");
      const state =
        channelId !== undefined && isObject(told)
          ? parseWireChannelState(channelId, told)
          : undefined;
      return { kind: "done", settlement, state };
    }
    if (clock.now() + questionPauseMs + minCallMs >= deadlineMs) {
      return { kind: "pending", settlement };
    }
    await clock.sleep(questionPauseMs);
  }
}
