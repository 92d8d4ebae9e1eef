/**
 * The rules by which a channel's record changes. Pure: a ledger runs them on its newest state and
 * writes what they return, in one step.
 */
import { defined, isSameAddress, type ChannelConfig, type Hex } from "@farthing/protocol";
import type { ChannelChange, ChannelsView } from "../ledger/ledger.ts";
import {
  heldUnits,
  largest,
  unconfirmedUnits,
  withSpent,
  type ChannelRecord,
  type OpenDeposit,
} from "./channel-record.ts";
import type { ReadChannel } from "./read-channel-state.ts";

/** A call before anything is signed for it. Amounts are base units. */
export interface CallOrder {
  readonly channelId: Hex;
  readonly network: string;
  readonly config: ChannelConfig;
  readonly host: string;
  readonly url: string;
  readonly method: string;
  readonly requestId: string;
  readonly isNamed: boolean;
  /** The most that the call may cost. */
  readonly amountUnits: bigint;
  /** The least first deposit by the seller's wish. */
  readonly minDepositUnits?: bigint;
  readonly holder: string;
  /** Unix milliseconds. */
  readonly now: number;
  readonly until: number;
  /** Of a new deposit; Unix seconds, and 32 random bytes. */
  readonly validBefore: number;
  readonly salt: Hex;
  /** What the chain says of a channel that the ledger does not have. */
  readonly found?: FoundChannel;
}

export type FoundChannel = Pick<ChannelRecord, "balanceUnits" | "claimedUnits">;

export interface CallRules {
  readonly depositMaxUnits: bigint;
  readonly depositTotalMaxUnits: bigint;
  readonly perDayUnits: bigint | undefined;
  readonly windowMs: number;
  readonly payeePin: "off" | "keep" | "replace";
}

/** What has to be signed: the total, and a deposit where the balance does not cover it. */
export interface CallPlan {
  readonly totalUnits: bigint;
  readonly deposit?: OpenDeposit;
}

export type CallRefusal =
  | "stopped"
  | "busy"
  | "already_called"
  | "deposit_limit"
  | "cumulative_cap"
  | "payee_changed";

export type BeginOutcome =
  | { readonly ok: true; readonly record: ChannelRecord; readonly plan: CallPlan }
  | { readonly ok: false; readonly reason: CallRefusal; readonly record?: ChannelRecord };

/** Calls that a deposit is for where the seller does not say. */
const depositCalls = 10n;

/** Ids of callers kept for each channel: as many repeats as a person or an agent makes. */
const namedCallsMax = 20;

/** Checks every limit and writes the call's total, before anything is signed. */
export function beginCall(
  view: ChannelsView,
  order: CallOrder,
  rules: CallRules,
): ChannelChange<BeginOutcome> {
  const record = view.find(order.channelId) ?? openedRecord(order);
  const refuse = (reason: CallRefusal) => ({ result: { ok: false, reason, record } as const });
  const { call } = record;
  if (record.stopped !== undefined) return refuse("stopped");
  if (call && call.until > order.now && call.holder !== order.holder) return refuse("busy");
  if (order.isNamed && record.namedCalls.includes(order.requestId)) {
    return refuse("already_called");
  }
  const pinned = view.pinnedPayee(order.host, order.network);
  const isPinned = pinned !== undefined && isSameAddress(pinned, order.config.receiver);
  if (rules.payeePin === "keep" && pinned !== undefined && !isPinned)
    return refuse("payee_changed");
  const settled = withoutCall(record);
  const plan = planCall(view, settled, order, rules);
  if (plan === undefined) return refuse("deposit_limit");
  const next = withCall(settled, plan, order);
  const scope = { wallet: order.config.payer, network: order.network, asset: order.config.token };
  const { spentUnits } = view.usage(scope, order.now - rules.windowMs);
  const { perDayUnits } = rules;
  if (perDayUnits !== undefined && spentUnits + order.amountUnits > perDayUnits) {
    return refuse("cumulative_cap");
  }
  const pin = { host: order.host, network: order.network, payTo: order.config.receiver };
  return {
    put: next,
    ...(rules.payeePin === "off" || isPinned ? {} : { pin }),
    result: { ok: true, record: next, plan },
  };
}

function openedRecord(order: CallOrder): ChannelRecord {
  const { channelId, network, config, host, url, method, now, found } = order;
  return {
    channelId,
    network,
    config,
    host,
    url,
    method,
    chargedUnits: found?.claimedUnits ?? 0n,
    signedUnits: found?.claimedUnits ?? 0n,
    unansweredUnits: 0n,
    balanceUnits: found?.balanceUnits ?? 0n,
    claimedUnits: found?.claimedUnits ?? 0n,
    withdrawRequestedAt: 0,
    openDeposits: [],
    unexplained: 0,
    spent: [],
    namedCalls: [],
    openedAt: now,
    usedAt: now,
  };
}

/** A call whose process ended may have been charged, like one that had no answer. */
function withoutCall(record: ChannelRecord): ChannelRecord {
  const { call: _, ...rest } = record;
  return { ...rest, unansweredUnits: unconfirmedUnits(record) };
}

function withCall(record: ChannelRecord, plan: CallPlan, order: CallOrder): ChannelRecord {
  const { requestId, holder, until, host, url, method, now } = order;
  const { totalUnits, deposit } = plan;
  const isKnown = deposit && record.openDeposits.some(({ salt }) => salt === deposit.salt);
  const opensDeposit = deposit !== undefined && isKnown !== true;
  const names = order.isNamed ? [...record.namedCalls, requestId] : record.namedCalls;
  return {
    ...record,
    host,
    url,
    method,
    signedUnits: largest(record.signedUnits, totalUnits),
    openDeposits: opensDeposit ? [...record.openDeposits, deposit] : record.openDeposits,
    call: { requestId, holder, until, totalUnits, opensDeposit },
    namedCalls: names.slice(-namedCallsMax),
    usedAt: now,
  };
}

/** Undefined where the call needs a deposit above a limit. */
export function planCall(
  view: Pick<ChannelsView, "list">,
  record: ChannelRecord,
  order: Pick<CallOrder, "amountUnits" | "minDepositUnits" | "now" | "validBefore" | "salt">,
  rules: Pick<CallRules, "depositMaxUnits" | "depositTotalMaxUnits">,
): CallPlan | undefined {
  const { amountUnits, minDepositUnits = depositCalls * amountUnits } = order;
  const totalUnits = record.chargedUnits + amountUnits;
  const needUnits = totalUnits - record.balanceUnits;
  if (needUnits <= 0n) return { totalUnits };
  // One that is out already is sent again, so that a lost answer never costs a second deposit.
  const open = record.openDeposits.find(
    ({ units, validBefore }) => units >= needUnits && validBefore * 1000 > order.now,
  );
  if (open) return { totalUnits, deposit: open };
  const others = view.list().filter(({ channelId }) => channelId !== record.channelId);
  const ofSeller = others.filter(
    ({ network, config }) =>
      network === record.network && isSameAddress(config.receiver, record.config.receiver),
  );
  const here = heldUnits(record);
  const room = smallest(
    rules.depositMaxUnits - here - heldByAll(ofSeller),
    rules.depositTotalMaxUnits - here - heldByAll(others),
  );
  if (needUnits > room) return undefined;
  const units = largest(needUnits, smallest(minDepositUnits, room));
  return { totalUnits, deposit: { units, validBefore: order.validBefore, salt: order.salt } };
}

function heldByAll(records: readonly ChannelRecord[]): bigint {
  return records.reduce((sum, record) => sum + heldUnits(record), 0n);
}

function smallest(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

/** How a call ended, as far as it is known. */
export type CallEnd =
  /** Nothing was signed, so nothing can be charged. */
  | { readonly kind: "unsigned" }
  | { readonly kind: "unanswered" }
  | {
      readonly kind: "charged";
      readonly chargedUnits: bigint;
      readonly voucher: NonNullable<ChannelRecord["lastVoucher"]>;
      /** The deposit that is proved to have arrived. */
      readonly deposit?: OpenDeposit;
      readonly state?: Partial<Pick<ChannelRecord, "claimedUnits" | "withdrawRequestedAt">>;
    }
  /** The seller has proved another total, or the chain another balance. */
  | { readonly kind: "recovered"; readonly base: RecoveredBase }
  | { readonly kind: "stopped"; readonly reason: string };

export type RecoveredBase = Pick<ChannelRecord, "chargedUnits"> &
  Partial<
    Pick<ChannelRecord, "balanceUnits" | "claimedUnits" | "withdrawRequestedAt" | "unexplained">
  >;

/**
 * Writes how a call ended. `begun` is the record as it was written when the call began: a call may
 * outlive its time, and another program has then gone on from it. A record that is gone stays so.
 */
export function endCall(
  view: ChannelsView,
  begun: ChannelRecord,
  end: CallEnd,
  now: number,
): ChannelChange<ChannelRecord | undefined> {
  const record = view.find(begun.channelId);
  if (!record) return { result: undefined };
  const next = ended(record, begun, end, now);
  return { put: next, result: next };
}

function ended(
  record: ChannelRecord,
  begun: ChannelRecord,
  end: CallEnd,
  now: number,
): ChannelRecord {
  switch (end.kind) {
    case "unsigned":
      return withoutSignature(record, begun);
    case "unanswered":
      return unanswered(record, begun);
    case "stopped":
      return { ...withoutCall(record), stopped: end.reason };
    case "recovered":
      return recovered(record, end.base, now);
    default:
      return charged(record, begun, end, now);
  }
}

/** Tells whether the call under way is the one that began with a record. */
function isUnderWay({ call }: ChannelRecord, begun: ChannelRecord): boolean {
  return call?.holder === begun.call?.holder && call?.requestId === begun.call?.requestId;
}

/** Tells whether no other program has changed what a seller's answer is compared with. */
export function isAsBegun(record: ChannelRecord, begun: ChannelRecord): boolean {
  return isUnderWay(record, begun) && record.chargedUnits === begun.chargedUnits;
}

function withoutSignature(record: ChannelRecord, begun: ChannelRecord): ChannelRecord {
  const namedCalls = record.namedCalls.filter((id) => id !== begun.call?.requestId);
  // A program that has gone on may have signed the same deposit, so that stays known.
  if (!isUnderWay(record, begun)) return { ...record, namedCalls };
  const { call, ...rest } = record;
  const { openDeposits } = record;
  return {
    ...rest,
    openDeposits: call?.opensDeposit === true ? openDeposits.slice(0, -1) : openDeposits,
    namedCalls,
  };
}

function unanswered(record: ChannelRecord, begun: ChannelRecord): ChannelRecord {
  if (isUnderWay(record, begun)) return withoutCall(record);
  const totalUnits = begun.call?.totalUnits ?? 0n;
  if (totalUnits <= record.chargedUnits) return record;
  return { ...record, unansweredUnits: largest(record.unansweredUnits, totalUnits) };
}

/** The seller's total is known with the answer: of its rise, what another program has learned counts once. */
function charged(
  record: ChannelRecord,
  begun: ChannelRecord,
  { chargedUnits, voucher, deposit, state }: CallEnd & { readonly kind: "charged" },
  now: number,
): ChannelRecord {
  const totalUnits = begun.chargedUnits + chargedUnits;
  const more = totalUnits - record.chargedUnits;
  const isOpen = record.openDeposits.some(({ salt }) => salt === deposit?.salt);
  const known = {
    ...record,
    chargedUnits: largest(record.chargedUnits, totalUnits),
    balanceUnits: record.balanceUnits + (isOpen && deposit ? deposit.units : 0n),
    openDeposits: record.openDeposits.filter(({ salt }) => salt !== deposit?.salt),
    spent: withSpent(record.spent, more, now),
  };
  if (!isUnderWay(record, begun)) return { ...known, unansweredUnits: stillOpen(record, begun) };
  const { call: _, ...rest } = known;
  return {
    ...rest,
    ...defined({ ...state }),
    // The seller has counted on from the last total, so no earlier call was charged.
    unansweredUnits: 0n,
    lastVoucher: voucher,
    unexplained: Math.max(0, record.unexplained - 1),
  };
}

/** The program that has gone on counts this call as unanswered, which it is not any more. */
function stillOpen({ unansweredUnits }: ChannelRecord, { call }: ChannelRecord): bigint {
  return unansweredUnits === call?.totalUnits ? 0n : unansweredUnits;
}

function recovered(record: ChannelRecord, base: RecoveredBase, now: number): ChannelRecord {
  const { unansweredUnits, ...rest } = withoutCall(record);
  // What another run has spent before this ledger knew the channel is not of today.
  const isNew = record.lastVoucher === undefined && record.chargedUnits === 0n;
  const isOfOthers = isNew && base.chargedUnits > record.signedUnits;
  const more = base.chargedUnits - record.chargedUnits;
  const { balanceUnits = record.balanceUnits } = base;
  return {
    ...rest,
    ...defined({ ...base }),
    openDeposits: openBeside(record, balanceUnits),
    signedUnits: largest(record.signedUnits, base.chargedUnits),
    // A lost call above the seller's total may still be charged, until a later answer adds up.
    unansweredUnits: unansweredUnits > base.chargedUnits ? unansweredUnits : 0n,
    spent: isOfOthers ? record.spent : withSpent(record.spent, more, now),
  };
}

/** A balance that has risen by exactly a deposit has it; of several of that amount it has one, the oldest. */
function openBeside(record: ChannelRecord, balanceUnits: bigint): readonly OpenDeposit[] {
  const gain = balanceUnits - record.balanceUnits;
  const arrived = record.openDeposits.findIndex(({ units }) => units === gain);
  return record.openDeposits.filter((_one, at) => at !== arrived);
}

/** Writes what a node said of a channel. */
export function recordRead(
  view: ChannelsView,
  channelId: Hex,
  { state, blockSeconds }: ReadChannel,
): ChannelChange<ChannelRecord | undefined> {
  const { balance: balanceUnits, totalClaimed: claimedUnits, withdrawRequestedAt } = state;
  const known = { balanceUnits, claimedUnits, withdrawRequestedAt };
  return recordChainState(view, channelId, known, blockSeconds);
}

/** Writes what the chain says of a channel at a block; ended authorizations are no deposits any more. */
export function recordChainState(
  view: ChannelsView,
  channelId: Hex,
  state: Pick<ChannelRecord, "balanceUnits" | "claimedUnits" | "withdrawRequestedAt">,
  blockSeconds: number,
): ChannelChange<ChannelRecord | undefined> {
  const record = view.find(channelId);
  if (!record) return { result: undefined };
  const openDeposits = openBeside(record, state.balanceUnits).filter(
    ({ validBefore }) => validBefore > blockSeconds,
  );
  const next = { ...record, ...state, openDeposits };
  return { put: next, result: next };
}
