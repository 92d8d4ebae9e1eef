/**
 * What a buyer knows of one channel. A voucher's total only rises, and the seller can claim the
 * highest one that was signed; so the record has the total before the voucher exists.
 */
import type { Address, ChannelConfig, Hex } from "@farthing/protocol";

/** All amounts are base units. */
export interface ChannelRecord {
  readonly channelId: Hex;
  /** CAIP-2. */
  readonly network: string;
  readonly config: ChannelConfig;
  /** Host and port of the seller. */
  readonly host: string;
  /** The last call's address without its query, and its method: a refund is asked for there. */
  readonly url: string;
  readonly method: string;
  /** All that answered calls have cost. */
  readonly chargedUnits: bigint;
  /** The highest total that was ever signed: the seller can claim so much. */
  readonly signedUnits: bigint;
  /** The highest total signed for a call that had no answer; 0 when every call had one. */
  readonly unansweredUnits: bigint;
  /** The deposits that are known to have arrived, less what came back. */
  readonly balanceUnits: bigint;
  readonly claimedUnits: bigint;
  /** Unix seconds at which a withdrawal was started; 0 for none. */
  readonly withdrawRequestedAt: number;
  /** The voucher of the last answered call. */
  readonly lastVoucher?: { readonly units: bigint; readonly signature: Hex };
  /** Deposits that were signed and are not known to have arrived. */
  readonly openDeposits: readonly OpenDeposit[];
  /** The call under way, or the one during which its process ended. */
  readonly call?: ChannelCall;
  /** Rises with each total that no lost answer explains, and falls with each answer that adds up. */
  readonly unexplained: number;
  /** Why no voucher is signed any more. */
  readonly stopped?: string;
  /** Charges of the last day by the hour in which they became known. */
  readonly spent: readonly SpentInHour[];
  /** Ids that callers gave to their last calls: none is charged twice. */
  readonly namedCalls: readonly string[];
  /** Unix milliseconds. */
  readonly openedAt: number;
  readonly usedAt: number;
}

/** An authorization of the token: signed anew it is the same one, and the chain takes it once. */
export interface OpenDeposit {
  readonly units: bigint;
  /** Unix seconds. */
  readonly validBefore: number;
  /** 32 bytes. */
  readonly salt: Hex;
}

export interface ChannelCall {
  readonly requestId: string;
  /** The run of a program that makes it. */
  readonly holder: string;
  /** Unix milliseconds; from then on others may use the channel. */
  readonly until: number;
  /** What the voucher says. */
  readonly totalUnits: bigint;
  readonly opensDeposit: boolean;
}

export interface SpentInHour {
  /** Unix milliseconds of the hour's end. */
  readonly until: number;
  readonly units: bigint;
}

const hourMs = 60 * 60 * 1000;
const spentHoursMax = 25;

/** Money of the buyer that the seller's channel holds, or will when open deposits arrive. */
export function heldUnits(record: ChannelRecord): bigint {
  const { balanceUnits, openDeposits, chargedUnits } = record;
  const open = openDeposits.reduce((sum, { units }) => sum + units, 0n);
  const left = balanceUnits + open - chargedUnits;
  return left > 0n ? left : 0n;
}

/** The highest total that the seller can claim and no answer has confirmed; 0 for none. */
export function unconfirmedUnits({ unansweredUnits, call }: ChannelRecord): bigint {
  return largest(unansweredUnits, call?.totalUnits ?? 0n);
}

/** What counts as spent since a time: charges, and calls that may have been charged. */
export function spentUnits(record: ChannelRecord, since: number): bigint {
  const open = unconfirmedUnits(record) - record.chargedUnits;
  return record.spent
    .filter(({ until }) => until > since)
    .reduce((sum, { units }) => sum + units, open > 0n ? open : 0n);
}

/** Adds a charge to its hour. */
export function withSpent(
  spent: readonly SpentInHour[],
  units: bigint,
  now: number,
): readonly SpentInHour[] {
  if (units <= 0n) return spent;
  const until = (Math.floor(now / hourMs) + 1) * hourMs;
  const others = spent.filter((one) => one.until !== until);
  const before = spent.find((one) => one.until === until)?.units ?? 0n;
  return [...others, { until, units: before + units }].slice(-spentHoursMax);
}

export function largest(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}

/** Tells whether a channel is one to a payee at a host. */
export function isOfSeller(
  { host, config, network }: ChannelRecord,
  seller: { readonly host: string; readonly payTo: Address; readonly network: string },
): boolean {
  const isPayee = config.receiver.toLowerCase() === seller.payTo.toLowerCase();
  return host === seller.host && network === seller.network && isPayee;
}
