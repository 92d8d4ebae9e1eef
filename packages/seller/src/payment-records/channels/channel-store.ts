/** The part of a store that keeps payment channels. Each call is atomic across processes. */
import {
  isObject,
  member,
  parseChannelConfig,
  parseJson,
  parseSoldParts,
  parseVoucher,
  toWireChannelState,
  toWireSoldParts,
  parseWireChannelState,
  type ChannelConfig,
  type ChannelState,
  type Hex,
  type SoldPart,
  type Voucher,
} from "@farthing/protocol";

import type { KeptCall } from "./kept-call.ts";

/** A refund that was sent, and whose outcome is not known. */
export interface OpenRefund {
  /** It happens with this nonce or never. */
  readonly nonce: bigint;
  /** Base units. */
  readonly amount: bigint;
}

/** A channel as a store keeps it. Amounts are base units. */
export interface StoredChannel {
  readonly id: Hex;
  /** CAIP-2. */
  readonly network: string;
  readonly config: ChannelConfig;
  /** All that calls were charged: never more than the voucher is for, whatever is said of the chain. */
  readonly charged: bigint;
  /** The newest one; at least what was charged is signed by it. */
  readonly voucher: Voucher;
  /** The charged total that the facilitator has acknowledged to keep; 0 where it keeps none. */
  readonly vaulted: bigint;
  /** What the newest charges were for, as far as the facilitator was not told it yet. */
  readonly sold: readonly SoldPart[];
  /** What the chain said, as the facilitator told it. */
  readonly state: ChannelState;
  /** When it was told, by the clock of the store. */
  readonly readAtMs: number;
  readonly openRefund: OpenRefund | undefined;
  /** Who works on a call of the channel; "" for nobody. */
  readonly holder: string;
  /** When that ends by itself, by the clock of the store. */
  readonly heldUntilMs: number;
}

export interface FoundChannel {
  /** Another one after each change; 0 where there is no channel. */
  readonly version: number;
  readonly channel: StoredChannel | undefined;
  /** The time of reading, by the clock of the store, in milliseconds since the Unix epoch. */
  readonly nowMs: number;
}

/** Channels with more charged than claimed; and those of them that no facilitator keeps as much of. */
export type ChannelList = "unclaimed" | "unvaulted";

export interface ChannelChange {
  /** The version of the channel after the change, see {@link newVersion}. */
  readonly nextVersion: number;
  /** A power cut must not undo it, as it may undo a lease. */
  readonly isLasting: boolean;
  /** Stored with the channel or not at all, in place of an earlier one. A full store may leave it out. */
  readonly kept?: KeptCall | undefined;
}

/** Channels in a store. They are kept while something of them can be claimed. */
export interface ChannelStore {
  /**
   * The time by the clock of the store, without asking for it; undefined where it is not known well
   * enough now. Absent where a channel is read as fast as it is remembered.
   */
  nowMs?(): number | undefined;
  get(id: Hex): Promise<FoundChannel>;
  /** Stores the channel, and a response, unless the version is another one. */
  compareAndSet(version: number, channel: StoredChannel, change: ChannelChange): Promise<boolean>;
  /** Forgets a channel, unless the version is another one. */
  remove(version: number, id: Hex): Promise<boolean>;
  /** Returns channels with an id after this one, by id. */
  list(list: ChannelList, afterId: string, limit: number): Promise<readonly StoredChannel[]>;
  /**
   * Makes room by forgetting what the chain tells as well; false where there is none. Absent where the
   * store has no bound of its own.
   */
  makeRoom?(): Promise<boolean>;
}

/**
 * The total from which the next call counts, in base units: claims beyond what was charged here were
 * charged elsewhere. Only a voucher of the payer proves that, and the next call brings one.
 */
export function countedTotal({ charged, state }: Pick<StoredChannel, "charged" | "state">): bigint {
  return charged > state.totalClaimed ? charged : state.totalClaimed;
}

/** Base units that were charged beyond what was claimed and what the facilitator keeps. */
export function unvaultedOf({ charged, vaulted, state: { totalClaimed } }: StoredChannel): bigint {
  return charged - (vaulted > totalClaimed ? vaulted : totalClaimed);
}

/** What a store keeps of a channel apart, to list it and to know what it may forget. */
export function channelFlags(channel: StoredChannel) {
  const { charged, state, openRefund } = channel;
  const isUnclaimed = charged > state.totalClaimed;
  return {
    /** Whether more of it is known here than the chain tells. */
    isKept: isUnclaimed || openRefund !== undefined,
    isUnclaimed,
    isUnvaulted: unvaultedOf(channel) > 0n,
  };
}

/**
 * A version that no other state of a channel has had, also of a forgotten one, and of one that a store
 * has lost with its last changes. Numbers up to 2^53 are exact in all of them.
 */
export function newVersion(): number {
  return 1 + Math.floor(Math.random() * 2 ** 52);
}

/** As JSON, with amounts as decimal digits. */
export function channelText(channel: StoredChannel): string {
  const { id, charged, vaulted, sold, voucher, state, openRefund, ...rest } = channel;
  const { maxClaimableAmount, ...signed } = voucher;
  return JSON.stringify({
    ...rest,
    charged: `${charged}`,
    vaulted: `${vaulted}`,
    sold: toWireSoldParts(sold),
    voucher: { ...signed, maxClaimableAmount: `${maxClaimableAmount}` },
    state: toWireChannelState(id, state),
    refund: openRefund && { nonce: `${openRefund.nonce}`, amount: `${openRefund.amount}` },
  });
}

/** Parses a channel from the text of a store outside of the process. */
export function channelIn(stored: unknown): StoredChannel {
  const value = typeof stored === "string" ? parseJson(stored)?.value : undefined;
  if (!isObject(value)) throw new Error(foreign);
  const config = parseChannelConfig(member(value, "config"));
  const voucher = parseVoucher(member(value, "voucher"));
  if (!config.ok || !voucher.ok) throw new Error(foreign);
  const id = voucher.value.channelId;
  const state = parseWireChannelState(id, member(value, "state"));
  const [readAtMs, heldUntilMs] = [member(value, "readAtMs"), member(value, "heldUntilMs")];
  const [network, holder] = [member(value, "network"), member(value, "holder")];
  if (!state || typeof readAtMs !== "number" || typeof heldUntilMs !== "number") {
    throw new Error(foreign);
  }
  if (typeof network !== "string" || typeof holder !== "string") throw new Error(foreign);
  return {
    id,
    network,
    config: config.value,
    charged: unitsIn(value, "charged"),
    vaulted: unitsIn(value, "vaulted"),
    // Channels of earlier versions have none; it is in no sum that money depends on.
    sold: parseSoldParts(member(value, "sold")) ?? [],
    voucher: voucher.value,
    state,
    readAtMs,
    openRefund: refundIn(member(value, "refund")),
    holder,
    heldUntilMs,
  };
}

function refundIn(value: unknown): OpenRefund | undefined {
  if (!isObject(value)) return undefined;
  return { nonce: unitsIn(value, "nonce"), amount: unitsIn(value, "amount") };
}

function unitsIn(value: Readonly<Record<string, unknown>>, name: string): bigint {
  const found = member(value, name);
  if (typeof found === "string" && /^\d+$/.test(found)) return BigInt(found);
  throw new Error(foreign);
}

const foreign = "The store keeps something else under the id of a channel.";
