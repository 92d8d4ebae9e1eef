/** The rules of the channel contract as a model of a few lines, and random calls of all parties. */
import * as fc from "fast-check";
import {
  channelIdOf,
  channelRefundDigest,
  claimBatchDigest,
  networkOfChain,
  voucherDigest,
  zeroAddress,
  type Address,
  type ChannelConfig,
  type VoucherClaim,
} from "@farthing/protocol";
import { channelCalls } from "@farthing/protocol/channel-contract";
import { signDeposit, signDigest, type ChannelBench } from "./channel-bench.testing.ts";
import type { DevnetWallet } from "./wallets.ts";

export const apothem = networkOfChain(51);
const delay = 3_600;

/** A channel as the model has it. */
interface Modelled {
  readonly config: ChannelConfig;
  /** Who signs its vouchers. */
  readonly signer: DevnetWallet;
  balance: bigint;
  claimed: bigint;
  withdrawing: bigint;
  since: number;
  refundNonce: bigint;
}

type By = "payer" | "payerAuthorizer" | "receiver" | "receiverAuthorizer" | "stranger";

interface Claimed {
  readonly channel: number;
  readonly max: bigint;
  readonly total: bigint;
  readonly isForged: boolean;
}

export type Call =
  | { readonly kind: "deposit"; readonly channel: number; readonly amount: bigint }
  | { readonly kind: "claim"; readonly rows: readonly Claimed[]; readonly by: By }
  | { readonly kind: "claimSigned"; readonly rows: readonly Claimed[]; readonly isForged: boolean }
  | { readonly kind: "settle" }
  | {
      readonly kind: "refund";
      readonly channel: number;
      readonly amount: bigint;
      readonly by: By;
    }
  | {
      readonly kind: "refundSigned";
      readonly channel: number;
      readonly amount: bigint;
      readonly isStale: boolean;
      readonly isForged: boolean;
    }
  | {
      readonly kind: "withdraw";
      readonly channel: number;
      readonly amount: bigint;
      readonly by: By;
    }
  | { readonly kind: "finish"; readonly channel: number; readonly by: By }
  | { readonly kind: "wait"; readonly seconds: number };

const channelIndex = fc.nat(2);
const amount = fc.bigInt({ min: 0n, max: 300n });
const by = fc.constantFrom<By>(
  "payer",
  "payerAuthorizer",
  "receiver",
  "receiverAuthorizer",
  "stranger",
);
const isForged = fc.nat(9).map((one) => one === 0);
const row = fc.record({ channel: channelIndex, max: amount, total: amount, isForged });
const rows = fc.array(row, { maxLength: 3 });

export const calls = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant("deposit" as const),
        channel: channelIndex,
        amount,
      }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("claim" as const), rows, by }) },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant("claimSigned" as const), rows, isForged }),
    },
    fc.record({ kind: fc.constant("settle" as const) }),
    fc.record({ kind: fc.constant("refund" as const), channel: channelIndex, amount, by }),
    fc.record({
      kind: fc.constant("refundSigned" as const),
      channel: channelIndex,
      amount,
      isStale: isForged,
      isForged,
    }),
    fc.record({ kind: fc.constant("withdraw" as const), channel: channelIndex, amount, by }),
    fc.record({ kind: fc.constant("finish" as const), channel: channelIndex, by }),
    fc.record({ kind: fc.constant("wait" as const), seconds: fc.constantFrom(60, delay) }),
  ),
  { minLength: 8, maxLength: 24 },
);

export function at<T>(list: readonly T[], index: number): T {
  const found = list[index];
  if (found === undefined) throw new Error(`nothing at ${index}`);
  return found;
}

/** Three channels of one receiver; the vouchers of the last are signed by its payer. */
export function createWorld({ devnet }: ChannelBench) {
  const buyer = (index: number) => at(devnet.buyers, index);
  const [payer, voucherKey, receiver, authorizer, stranger] = [0, 1, 2, 3, 4].map(buyer);
  if (!payer || !voucherKey || !receiver || !authorizer || !stranger) throw new Error("no buyers");
  const channels = [0, 1, 2].map((index): Modelled => {
    const own = index === 2;
    const config: ChannelConfig = {
      payer: payer.address,
      payerAuthorizer: own ? zeroAddress : voucherKey.address,
      receiver: receiver.address,
      receiverAuthorizer: index === 1 ? receiver.address : authorizer.address,
      token: devnet.token,
      withdrawDelay: delay,
      salt: `0x${`${index}`.padStart(64, "0")}`,
    };
    const empty = { balance: 0n, claimed: 0n, withdrawing: 0n, since: 0, refundNonce: 0n };
    return { config, signer: own ? payer : voucherKey, ...empty };
  });
  return { channels, payer, receiver, authorizer, stranger };
}

export type World = ReturnType<typeof createWorld> & { settled: bigint; salt: bigint; now: number };

/** A channel without a voucher key has the zero address there, whose calls nobody can sign: a stranger's. */
function addressOf(world: World, config: ChannelConfig, who: By): Address {
  const hasNoKey = who !== "stranger" && config[who] === zeroAddress;
  return who === "stranger" || hasNoKey ? world.stranger.address : config[who];
}

function toClaim(world: World, { channel, max, total, isForged: forged }: Claimed): VoucherClaim {
  const { config, signer } = at(world.channels, channel);
  const terms = { channelId: channelIdOf(apothem, config), maxClaimableAmount: max };
  const signature = signDigest(voucherDigest(51, terms), forged ? world.stranger : signer);
  return { config, maxClaimableAmount: max, signature, totalClaimed: total };
}

export function toTransaction(world: World, call: Exclude<Call, { kind: "wait" }>) {
  const stranger = world.stranger.address;
  switch (call.kind) {
    case "deposit": {
      const { config } = at(world.channels, call.channel);
      const deposit = signDeposit(config, world.payer, { amount: call.amount, salt: world.salt++ });
      return { from: stranger, data: channelCalls.deposit(config, deposit) };
    }
    case "claim": {
      const first = at(world.channels, call.rows[0]?.channel ?? 0);
      const from = addressOf(world, first.config, call.by);
      return { from, data: channelCalls.claim(call.rows.map((one) => toClaim(world, one))) };
    }
    case "claimSigned": {
      const claims = call.rows.map((one) => toClaim(world, one));
      const entries = claims.map((one) => ({
        ...one,
        channelId: channelIdOf(apothem, one.config),
      }));
      const key = authorizerKey(world, at(world.channels, call.rows[0]?.channel ?? 0));
      const signer = call.isForged ? world.stranger : key;
      const signature = signDigest(claimBatchDigest(51, entries), signer);
      return { from: stranger, data: channelCalls.claimWithSignature(claims, signature) };
    }
    case "settle":
      return { from: stranger, data: channelCalls.settle(world.receiver.address, apothem.usdc) };
    case "refund": {
      const { config } = at(world.channels, call.channel);
      const from = addressOf(world, config, call.by);
      return { from, data: channelCalls.refund(config, call.amount) };
    }
    case "refundSigned": {
      const modelled = at(world.channels, call.channel);
      const { config, refundNonce } = modelled;
      const nonce = refundNonce + (call.isStale ? 1n : 0n);
      const terms = { channelId: channelIdOf(apothem, config), nonce, amount: call.amount };
      const signer = call.isForged ? world.stranger : authorizerKey(world, modelled);
      const signature = signDigest(channelRefundDigest(51, terms), signer);
      const signed = { amount: call.amount, nonce, signature };
      return { from: stranger, data: channelCalls.refundWithSignature(config, signed) };
    }
    case "withdraw": {
      const { config } = at(world.channels, call.channel);
      const from = addressOf(world, config, call.by);
      return { from, data: channelCalls.initiateWithdraw(config, call.amount) };
    }
    case "finish": {
      const { config } = at(world.channels, call.channel);
      const from = addressOf(world, config, call.by);
      return { from, data: channelCalls.finalizeWithdraw(config) };
    }
    default:
      return call satisfies never;
  }
}

function authorizerKey(world: World, { config }: Modelled): DevnetWallet {
  return config.receiverAuthorizer === world.receiver.address ? world.receiver : world.authorizer;
}

type Expected = { readonly reverted: string } | { readonly events: readonly string[] };

/** The end of a call by the rules; changes the model where it goes through. */
export function expected(world: World, call: Exclude<Call, { kind: "wait" }>): Expected {
  switch (call.kind) {
    case "deposit":
      return deposited(at(world.channels, call.channel), call.amount);
    case "claim":
    case "claimSigned":
      return claimed(world, call);
    case "settle": {
      const sum = world.channels.reduce((total, one) => total + one.claimed, 0n);
      if (sum === world.settled) return { events: [] };
      world.settled = sum;
      return { events: ["Settled"] };
    }
    case "refund":
    case "refundSigned":
      return refunded(world, call);
    case "withdraw":
      return withdrawn(world, call);
    case "finish":
      return finished(world, call);
    default:
      return call satisfies never;
  }
}

function deposited(channel: Modelled, units: bigint): Expected {
  if (units === 0n) return { reverted: "ZeroDeposit" };
  const isFirst = channel.balance === 0n;
  channel.balance += units;
  return { events: [...(isFirst ? ["ChannelCreated"] : []), "Deposited"] };
}

function claimed(world: World, call: Extract<Call, { kind: "claim" | "claimSigned" }>): Expected {
  if (call.rows.length === 0) return { reverted: "EmptyBatch" };
  const first = at(world.channels, at(call.rows, 0).channel);
  if (call.kind === "claimSigned" && call.isForged) return { reverted: "InvalidSignature" };
  const events: string[] = [];
  // A row that fails takes the rows before it with it.
  const kept = world.channels.map((one) => one.claimed);
  const undo = (reverted: string): Expected => {
    for (const [index, value] of kept.entries()) at(world.channels, index).claimed = value;
    return { reverted };
  };
  for (const { channel, max, total, isForged: forged } of call.rows) {
    const modelled = at(world.channels, channel);
    const { config } = modelled;
    if (call.kind === "claim") {
      const from = addressOf(world, first.config, call.by);
      if (from !== config.receiver && from !== config.receiverAuthorizer) {
        return undo("NotAuthorizedToClaim");
      }
    } else if (config.receiverAuthorizer !== first.config.receiverAuthorizer) {
      return undo("NotReceiverAuthorizer");
    }
    if (total <= modelled.claimed) continue;
    if (total > max) return undo("ClaimExceedsCeiling");
    if (total > modelled.balance) return undo("ClaimExceedsBalance");
    if (forged) return undo("InvalidSignature");
    modelled.claimed = total;
    events.push("Claimed");
  }
  return { events };
}

function refunded(
  world: World,
  call: Extract<Call, { kind: "refund" | "refundSigned" }>,
): Expected {
  const channel = at(world.channels, call.channel);
  const { config } = channel;
  if (call.kind === "refund") {
    const from = addressOf(world, config, call.by);
    if (from !== config.receiver && from !== config.receiverAuthorizer) {
      return { reverted: "NotAuthorizedToRefund" };
    }
  } else {
    if (call.isStale) return { reverted: "InvalidRefundNonce" };
    if (call.isForged) return { reverted: "InvalidSignature" };
  }
  if (call.amount === 0n) return { reverted: "ZeroRefund" };
  channel.refundNonce += 1n;
  const returned = least(call.amount, channel.balance - channel.claimed);
  if (returned === 0n) return { events: [] };
  channel.balance -= returned;
  channel.withdrawing -= least(channel.withdrawing, returned);
  if (channel.withdrawing === 0n) channel.since = 0;
  return { events: ["Refunded", ...(channel.balance === 0n ? ["ChannelClosed"] : [])] };
}

function withdrawn(world: World, call: Extract<Call, { kind: "withdraw" }>): Expected {
  const channel = at(world.channels, call.channel);
  if (!isOfPayer(world, channel, call.by)) return { reverted: "InvalidChannel" };
  if (call.amount === 0n) return { reverted: "NothingToWithdraw" };
  if (channel.withdrawing > 0n) return { reverted: "WithdrawalAlreadyPending" };
  const isTooMuch = call.amount > channel.balance - channel.claimed;
  if (isTooMuch) return { reverted: "WithdrawAmountExceedsAvailable" };
  channel.withdrawing = call.amount;
  channel.since = world.now;
  return { events: ["WithdrawInitiated"] };
}

function finished(world: World, call: Extract<Call, { kind: "finish" }>): Expected {
  const channel = at(world.channels, call.channel);
  if (!isOfPayer(world, channel, call.by)) {
    return { reverted: "NotAuthorizedToFinalizeWithdraw" };
  }
  if (channel.withdrawing === 0n) return { reverted: "WithdrawalNotPending" };
  if (world.now < channel.since + delay) return { reverted: "WithdrawDelayNotElapsed" };
  const returned = least(channel.withdrawing, channel.balance - channel.claimed);
  channel.withdrawing = 0n;
  channel.since = 0;
  channel.balance -= returned;
  return { events: ["WithdrawFinalized", ...(channel.balance === 0n ? ["ChannelClosed"] : [])] };
}

function isOfPayer(world: World, { config }: Modelled, who: By): boolean {
  const from = addressOf(world, config, who);
  return from === config.payer || from === config.payerAuthorizer;
}

const least = (one: bigint, other: bigint) => (one < other ? one : other);
