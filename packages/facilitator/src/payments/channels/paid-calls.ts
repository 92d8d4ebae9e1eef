/**
 * Who pays the gas of claims, sweeps and refunds: a seller's credits for each claimed row, and otherwise
 * the budget of callers without a key, as for payments.
 */
import {
  channelIdOf,
  type ChannelPayload,
  type ChannelRequirements,
  type Hex,
} from "@farthing/protocol";
import type { Channels } from "@farthing/engine";
import type { CallerRequest } from "../../http/access/caller.ts";
import type { PaymentContext } from "../context.ts";
import { isPaying, payForCall } from "../keyless/terms.ts";
import { denialProblem } from "../settle-terms.ts";

/** A row of a claim takes a third of the gas of a payment alone; a sweep and a refund take less than one. */
const paymentsPerRow = 1 / 3;

/** The channels of a context, whose calls for this message are paid for. */
export function paidCalls(
  context: PaymentContext,
  request: CallerRequest,
  payload: ChannelPayload,
  requirements: ChannelRequirements,
): Pick<PaymentContext, "channels"> {
  const { authorizer, chain } = context.channels;
  const { network, payTo } = requirements;
  const { chainId } = network;
  const { apiKey } = request;
  const rows = claimedBy(payload, requirements);

  async function pay(): Promise<() => Promise<void>> {
    if (apiKey === null || !isPaying(context, apiKey)) {
      const payments = 1 + rows.length * paymentsPerRow;
      return payForCall(context, request, { chainId, payTo, payments });
    }
    const { account } = apiKey;
    const claims = { account, chainId, channelIds: rows };
    const credits = await context.payForClaims(claims);
    if (credits === undefined) {
      throw denialProblem("insufficient_facilitator_credits", context.fee());
    }
    return async () => {
      if (credits > 0) await context.returnClaimCredits(account, credits);
    };
  }

  const paying: Channels = {
    ...chain,
    async call(...input) {
      const giveBack = await pay();
      const called = await chain.call(...input).catch(async (error: unknown) => {
        // Nothing was sent.
        await giveBack();
        throw error;
      });
      if (called.kind === "reverts") await giveBack();
      else await context.spendReservations(chainId, rows);
      return called;
    },
  };
  return { channels: { authorizer, chain: paying } };
}

/** The channels of the rows that are claimed; the one that is refunded had a deposit, which was paid for. */
function claimedBy(payload: ChannelPayload, { network }: ChannelRequirements): readonly Hex[] {
  const idsOf = (claims: Extract<ChannelPayload, { type: "claim" }>["claims"]) =>
    claims.map(({ config }) => channelIdOf(network, config));
  if (payload.type === "claim") return idsOf(payload.claims);
  if (payload.type !== "refund") return [];
  const ids = idsOf(payload.completed?.claims ?? []);
  return ids.filter((id) => id !== payload.voucher.channelId);
}
