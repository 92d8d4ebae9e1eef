/**
 * What a claim, a sweep and a refund of channels are said to have come to, by what the chain shows before
 * and after. What a chain does in between is scripted: no real one reverts, stalls or forgets on demand.
 */
import type { Channels } from "@farthing/engine";
import {
  addressOfKey,
  wireChannelCode,
  type ChannelCode,
  type ChannelRequirements,
  type ChannelState,
  type Hex,
  type SettleResponse,
} from "@farthing/protocol";
import { expect, test } from "vitest";
import { channelNetwork, channelOf, signVoucher } from "../../../test/support/channels.testing.ts";
import { claimChannels, refundChannel, sweepReceiver } from "./call-channel.ts";
import { noAuthorizer } from "./context.ts";

type Called = Awaited<ReturnType<Channels["call"]>>;

const walletOf = (digit: string) => {
  const privateKey: Hex = `0x${digit.repeat(64)}`;
  return { address: addressOfKey(privateKey), privateKey };
};
const seller = walletOf("5");
const channel = channelOf({ seller }, walletOf("1"));
const { config, channelId } = channel;
const transaction: Hex = `0x${"cd".repeat(32)}`;
const signature: Hex = `0x${"ab".repeat(64)}1b`;
const requirements: ChannelRequirements = {
  network: channelNetwork,
  asset: channelNetwork.usdc,
  amount: 1_000n,
  payTo: seller.address,
};

const opened: ChannelState = {
  balance: 10_000n,
  totalClaimed: 1_000n,
  withdrawing: 0n,
  withdrawRequestedAt: 0,
  refundNonce: 4n,
};
const claimed = { ...opened, totalClaimed: 6_000n };
const refunded = { ...claimed, balance: 7_000n, refundNonce: 5n };

const mined: Called = { kind: "mined", transaction, blockNumber: 9 };
const pending: Called = { kind: "pending", transaction };
const reverts: Called = { kind: "reverts", revertData: undefined };

/** A chain that shows these states one after the other, the last one from then on. */
function chainOf<State>(states: readonly State[], called?: Called) {
  const sent: Hex[] = [];
  const blocks: number[] = [];
  const next = (block = 0): State => {
    blocks.push(block);
    const state = states[Math.min(blocks.length, states.length) - 1];
    if (state === undefined) throw new Error("The chain shows nothing.");
    return state;
  };
  const call: Channels["call"] = async (_chainId, data) => {
    sent.push(data);
    if (!called) throw new Error("Nothing was to be sent.");
    return called;
  };
  return { next, call, sent, blocks };
}

async function unasked(): Promise<never> {
  throw new Error("The chain was not to be asked for this.");
}

function contextOf(chain: Partial<Pick<Channels, "read" | "readReceiver" | "call">>) {
  const rest: Channels = {
    isDeployed: unasked,
    read: unasked,
    readReceiver: unasked,
    headOf: () => undefined,
    events: unasked,
    call: unasked,
  };
  return { channels: { chain: { ...rest, ...chain }, authorizer: noAuthorizer } };
}

/** A second row of claims, which was claimed before. */
const other = channelOf({ seller }, walletOf("2"));

const claimOf = (totalClaimed: bigint, of = channel) => ({
  config: of.config,
  maxClaimableAmount: 6_000n,
  signature: signVoucher(of, 6_000n),
  totalClaimed,
});

/** The end that a caller is told, without its text. */
function endOf({ success, errorReason, transaction: hash, amount }: SettleResponse) {
  return { success, errorReason, transaction: hash, amount };
}
const done = (hash: Hex | "", amount: string) => ({ success: true, transaction: hash, amount });
const refused = (code: ChannelCode, hash: Hex | "" = "") => ({
  success: false,
  errorReason: wireChannelCode(code),
  transaction: hash,
});
const underWay = { success: false, errorReason: "settlement_pending", transaction };

test.each([
  { what: "was made before", states: [claimed], called: undefined, end: done("", "") },
  { what: "is made", states: [opened, claimed], called: mined, end: done(transaction, "") },
  { what: "is under way", states: [opened], called: pending, end: underWay },
  {
    what: "would revert",
    states: [opened],
    called: reverts,
    end: refused("claim_simulation_failed"),
  },
  {
    what: "would revert after another one",
    states: [opened, claimed],
    called: reverts,
    end: done("", ""),
  },
  {
    what: "was mined without effect",
    states: [opened],
    called: mined,
    end: refused("claim_transaction_failed", transaction),
  },
])("a claim that $what", async ({ states, called, end }) => {
  const { next, call, sent, blocks } = chainOf(states, called);
  const read: Channels["read"] = async (_chainId, _ids, block) => [claimed, next(block)];
  const context = contextOf({ read, call });
  const claims = [claimOf(6_000n, other), claimOf(6_000n)];
  const payload = { type: "claim", claims, claimAuthorizerSignature: signature };
  const told = await claimChannels(context, { ...payload, type: "claim" }, requirements, null);
  expect(endOf(told)).toMatchObject(end);
  expect(sent).toHaveLength(called ? 1 : 0);
  if (called === mined) expect(blocks.at(-1)).toBe(9);
});

test("a claim of more than was signed is not sent", async () => {
  const payload = { type: "claim", claims: [claimOf(6_001n)], claimAuthorizerSignature: signature };
  const told = await claimChannels(
    contextOf({}),
    { ...payload, type: "claim" },
    requirements,
    null,
  );
  expect(endOf(told)).toMatchObject(refused("charge_exceeds_signed_cumulative"));
});

const owed = { totalClaimed: 6_000n, totalSettled: 1_000n };
const paid = { totalClaimed: 6_000n, totalSettled: 6_000n };

test.each([
  {
    what: "has nothing to send",
    states: [paid],
    called: undefined,
    end: refused("nothing_to_settle"),
  },
  { what: "is made", states: [owed, paid], called: mined, end: done(transaction, "5000") },
  { what: "is under way", states: [owed], called: pending, end: underWay },
  {
    what: "would revert",
    states: [owed],
    called: reverts,
    end: refused("settle_simulation_failed"),
  },
  {
    what: "was mined and moved nothing",
    states: [owed],
    called: mined,
    end: refused("settle_transaction_failed", transaction),
  },
])("a sweep that $what", async ({ states, called, end }) => {
  const { next, call, sent } = chainOf(states, called);
  const context = contextOf({ readReceiver: async (_id, _of, block) => next(block), call });
  const payload = { type: "settle", receiver: seller.address, token: config.token } as const;
  expect(endOf(await sweepReceiver(context, payload, requirements))).toMatchObject(end);
  expect(sent).toHaveLength(called ? 1 : 0);
});

test("a sweep to another receiver is not sent", async () => {
  const payload = { type: "settle", receiver: config.payer, token: config.token } as const;
  const told = await sweepReceiver(contextOf({}), payload, requirements);
  expect(endOf(told)).toMatchObject(refused("receiver_mismatch"));
});

/** Gives back 3,000 of what is left after a claim up to 6,000. */
const refund = {
  type: "refund",
  config,
  voucher: { channelId, maxClaimableAmount: 6_000n, signature: signVoucher(channel, 6_000n) },
  amount: 3_000n,
  completed: {
    refundNonce: 4n,
    claims: [claimOf(6_000n)],
    claimAuthorizerSignature: signature,
    refundAuthorizerSignature: signature,
  },
} as const;

test.each([
  { what: "is made", states: [opened, refunded], called: mined, end: done(transaction, "3000") },
  {
    what: "was made before",
    states: [refunded],
    called: undefined,
    end: refused("refund_payload"),
  },
  {
    what: "finds nothing left beside its claim",
    states: [{ ...opened, balance: 6_000n }],
    called: undefined,
    end: refused("refund_no_balance"),
  },
  { what: "is under way", states: [opened], called: pending, end: underWay },
  {
    what: "would revert",
    states: [opened],
    called: reverts,
    end: refused("refund_simulation_failed"),
  },
  {
    what: "was mined without effect",
    states: [opened],
    called: mined,
    end: refused("refund_transaction_failed", transaction),
  },
])("a refund that $what", async ({ states, called, end }) => {
  const { next, call, sent, blocks } = chainOf(states, called);
  const context = contextOf({ read: async (_chainId, _ids, block) => [next(block)], call });
  const told = await refundChannel(context, refund, requirements, null);
  expect(endOf(told)).toMatchObject(end);
  expect(told.payer).toBe(config.payer);
  expect(sent).toHaveLength(called ? 1 : 0);
  if (called === mined) expect(blocks.at(-1)).toBe(9);
});

const { completed, ...uncompleted } = refund;
const { amount: _amount, ...withoutAmount } = refund;
const { refundAuthorizerSignature: _ofRefund, ...unsigned } = completed;
const { claimAuthorizerSignature: _ofClaim, ...unsignedClaim } = completed;

test.each<[ChannelCode, Parameters<typeof refundChannel>[1]]>([
  ["channel_id_mismatch", { ...refund, voucher: { ...refund.voucher, channelId: transaction } }],
  ["refund_payload", uncompleted],
  ["refund_payload", withoutAmount],
  ["authorizer_not_configured", { ...refund, completed: unsigned }],
  ["authorizer_not_configured", { ...refund, completed: unsignedClaim }],
])("%s: a refund is not sent", async (code, payload) => {
  const told = await refundChannel(contextOf({}), payload, requirements, null);
  expect(endOf(told)).toMatchObject(refused(code));
});
