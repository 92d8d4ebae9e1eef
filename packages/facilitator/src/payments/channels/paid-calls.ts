/**
 * Who pays the gas of claims, sweeps and refunds: a seller's credits for each claimed row, and otherwise
 * the budget of callers without a key, as for payments.
 */
import {
  channelIdOf,
  type ChannelPayload,
  type ChannelRequirements,
  type Hex,
  type VoucherClaim,
} from "@farthing/protocol";
import type { Channels } from "@farthing/engine";
import type { CallerRequest } from "../../http/access/caller.ts";
import type { PaymentContext } from "../context.ts";
import { isPaying, payForCall } from "../keyless/terms.ts";
import { denialProblem } from "../settle-terms.ts";
import { callOrUndo } from "./call-or-undo.ts";

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
    const credits = await context.payForClaims({ account, chainId, channelIds: rows });
    if (credits === undefined) {
      throw denialProblem("insufficient_facilitator_credits", context.fee());
    }
    return async () => {
      if (credits > 0) await context.returnClaimCredits(account, credits);
    };
  }

  /** Also spends what the vault has reserved for these channels. Returns what undoes both. */
  async function payAndSpend(): Promise<() => Promise<void>> {
    const giveBack = await pay();
    // Before anything is sent: a look of the vault may see the claim in a block before this call ends.
    const spent = await context.spendReservations(chainId, rows).catch(async (error: unknown) => {
      await giveBack();
      throw error;
    });
    return async () => {
      await giveBack();
      await context.restoreReservations(chainId, spent);
    };
  }

  const payAndCall: Channels["call"] = async (...input) => {
    const undo = apiKey === null ? await pay() : await payAndSpend();
    const called = await callOrUndo(() => chain.call(...input), undo);
    const isSent = called.kind !== "reverts";
    if (isSent && apiKey === null) await context.spendReservations(chainId, rows);
    return called;
  };

  const paying: Channels = {
    ...chain,
    call(...input) {
      const call = () => payAndCall(...input);
      const name = nameOf(payload, requirements);
      // A caller without a key may send a claim that would revert, which must not keep the seller's from being sent.
      if (apiKey === null || name === undefined) return call();
      return context.callOnce(`${apiKey.account} ${name}`, call);
    },
  };
  return { channels: { authorizer, chain: paying } };
}

/** What is claimed or refunded; undefined for a sweep, which may soon be needed again. */
function nameOf(payload: ChannelPayload, { network }: ChannelRequirements): string | undefined {
  const totalsOf = (claims: readonly VoucherClaim[]) =>
    claims.map(({ config, totalClaimed }) => `${channelIdOf(network, config)} ${totalClaimed}`);
  if (payload.type === "claim") return [network.chainId, ...totalsOf(payload.claims)].join(" ");
  if (payload.type !== "refund" || !payload.completed) return undefined;
  const { claims, refundNonce } = payload.completed;
  const refund = [payload.voucher.channelId, refundNonce, payload.amount];
  return [network.chainId, "refund", ...refund, ...totalsOf(claims)].join(" ");
}

/** The channels of the rows that are claimed; the one that is refunded had a deposit, which was paid for. */
function claimedBy(payload: ChannelPayload, { network }: ChannelRequirements): readonly Hex[] {
  const idsOf = (claims: readonly VoucherClaim[]) =>
    claims.map(({ config }) => channelIdOf(network, config));
  if (payload.type === "claim") return idsOf(payload.claims);
  if (payload.type !== "refund") return [];
  const ids = idsOf(payload.completed?.claims ?? []);
  return ids.filter((id) => id !== payload.voucher.channelId);
}
