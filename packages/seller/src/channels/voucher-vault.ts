/**
 * Passes the newest vouchers to the facilitator, which keeps and claims them, also when this seller never
 * comes back. Calls do not wait for it, but for a channel that is too far ahead of what was acknowledged.
 */
import {
  checkVoucher,
  defined,
  findNetwork,
  toWireClaim,
  toWireSoldParts,
  type Hex,
  type Network,
} from "@farthing/protocol";
import type { Clock } from "../clock.ts";
import type { Facilitator, Fault, VouchersOutcome } from "../facilitator.ts";
import type { FacilitatorFailure, FacilitatorOrder } from "../facilitator-order.ts";
import { unvaultedOf, type StoredChannel } from "../payment-records/channels/channel-store.ts";
import type { Channels } from "../payment-records/channels/channels.ts";
import type { ChannelAuthority } from "./channel-authorizers.ts";
import type { KeptVoucher, KeptVouchers } from "./kept-vouchers.ts";
import { claimOf, signClaims } from "./refund-channel.ts";

/** Rows of a call at most: the facilitator's bound. */
const rowsPerCall = 80;

/** The facilitator reads 64 KiB; what is left is for the rest of the body. */
const rowsBytesMax = 60_000;

/** A row without what was sold, at most. */
const rowBytes = 700;

/** What a row of the vault is made of. */
export type VaultRow = Pick<StoredChannel, "id" | "config" | "voucher" | "charged" | "sold">;

/** A voucher is passed on at the latest after this time, with all others that came meanwhile. */
const flushMs = 1_000;

/** Longest wait for one call: the facilitator may read the chain for it. */
const callMs = 10_000;

/** Calls that fail in a row before it stops; the next charge begins again. Pauses double from a second. */
const maxFailures = 6;

/** Channels that wait to be passed on at once. What is left out is found again in the store. */
const maxWaiting = 10_000;

/** The bound is never below the price of so many calls, so that a channel of dear calls can be used. */
const callsUnvaultedMin = 3n;

export interface VoucherVault {
  /** Whether some facilitator of this seller may keep vouchers. */
  readonly isThere: boolean;
  /**
   * Passes a channel's newest voucher on, within a second, where the facilitator has not acknowledged
   * it, or `isAgain`. Resolves once nothing waits any more.
   */
  pass(channel: StoredChannel, authority: ChannelAuthority, isAgain?: boolean): Promise<void>;
  /**
   * Waits until a call of `amount` base units stays within the bound; returns why it does not by the
   * deadline. Without a vault there is no bound.
   */
  secure(
    channel: StoredChannel,
    authority: ChannelAuthority,
    call: VaultedCall,
  ): Promise<FacilitatorFailure | undefined>;
  /** What the vault keeps of a channel that is not known here; undefined where it keeps nothing. */
  find(
    row: VaultRow,
    network: Network,
    authority: ChannelAuthority,
    deadlineMs: number,
  ): Promise<KeptVoucher | FacilitatorFailure | undefined>;
  /** Passes on at once what waits, before the process ends. Stops at the first failure. */
  drain(): Promise<void>;
}

interface VaultedCall {
  readonly amount: bigint;
  readonly deadlineMs: number;
}

interface LineOf {
  readonly keepVouchers: NonNullable<Facilitator["keepVouchers"]>;
  readonly network: Network;
  readonly privateKey: Hex | undefined;
  /** Records what the facilitator has acknowledged. */
  readonly note: Channels["vaulted"] | undefined;
  readonly clock: Clock;
}

/** The vouchers of one network that go to one facilitator. */
function createLine({ keepVouchers, network, privateKey, note, clock }: LineOf) {
  /** The newest of each channel. */
  const waiting = new Map<Hex, StoredChannel>();
  let isKept = true;
  let hurry = new AbortController();
  let running: Promise<void> | undefined;

  async function send(sent: readonly VaultRow[], timeoutMs: number): Promise<VouchersOutcome> {
    const vouchers = sent.map((row) =>
      // The facilitator signs where the seller has no key.
      toWireRow(row, signClaims(network, privateKey, [claimOf(row)])),
    );
    const told = await keepVouchers({ network: network.id, vouchers }, { timeoutMs });
    const reply =
      told.kind === "kept" ? { ...told, rows: provedRows(network, sent, told.rows) } : told;
    if (reply.kind === "none") {
      isKept = false;
      waiting.clear();
    }
    const rows = reply.kind === "kept" ? [...reply.rows] : [];
    const noting = rows.map(async ([id, row]) => {
      if (typeof row === "object") await note?.(id, row);
    });
    // What cannot be recorded now is passed on again.
    await Promise.allSettled(noting);
    return reply;
  }

  function add(channel: StoredChannel): void {
    const before = waiting.get(channel.id);
    if (before ? before.charged < channel.charged : waiting.size < maxWaiting) {
      waiting.set(channel.id, channel);
    }
  }

  /** Passes one call's rows on, this channel's first. */
  async function flush(first?: StoredChannel, timeoutMs = callMs): Promise<VouchersOutcome> {
    if (first) waiting.delete(first.id);
    const rows = rowsThatFit([...(first ? [first] : []), ...waiting.values()]);
    for (const { id } of rows) waiting.delete(id);
    const reply = await send(rows, timeoutMs);
    // A fault passes. A newer voucher may wait already.
    if (reply.kind === "fault") for (const channel of rows) add(channel);
    return reply;
  }

  /** Passes on what waits until nothing does, or the facilitator has failed too often. */
  async function run(): Promise<void> {
    try {
      for (let failures = 0; waiting.size > 0 && failures < maxFailures;) {
        const early = failures === 0 ? hurry.signal : undefined;
        await clock.sleep(flushMs * 2 ** failures, "background", early);
        hurry = new AbortController();
        // A call at its bound may have passed everything on meanwhile.
        if (waiting.size === 0) continue;
        const { kind } = await flush();
        failures = kind === "fault" ? failures + 1 : 0;
        if (waiting.size >= rowsPerCall) hurry.abort();
      }
    } finally {
      // At once, so that a voucher of this moment starts the next run.
      running = undefined;
    }
  }

  return {
    /** False once the facilitator has said that it keeps no vouchers. */
    isKept: () => isKept,
    send,
    flush,
    pass(channel: StoredChannel, isUrgent: boolean): Promise<void> {
      add(channel);
      if (isUrgent || waiting.size >= rowsPerCall) hurry.abort();
      running ??= run();
      return running;
    },
    async drain(): Promise<void> {
      while (waiting.size > 0 && (await flush()).kind === "kept");
    },
  };
}

interface VaultDeps {
  readonly facilitators: FacilitatorOrder;
  /** Base units. */
  readonly maxUnvaulted: bigint;
  readonly clock: Clock;
  /** Undefined where the store keeps none. */
  readonly channels: Channels | undefined;
}

export function createVoucherVault(deps: VaultDeps): VoucherVault {
  const { facilitators, maxUnvaulted, clock, channels } = deps;
  // One for each network and facilitator.
  const lines = new Map<string, ReturnType<typeof createLine>>();

  function lineOf(id: string, { nth, privateKey }: ChannelAuthority) {
    const network = findNetwork(id);
    const { keepVouchers } = (facilitators[nth] ?? facilitators[0]).client;
    if (!network || !keepVouchers) return undefined;
    const name = `${nth} ${id}`;
    const line =
      lines.get(name) ??
      createLine({ keepVouchers, network, privateKey, note: channels?.vaulted, clock });
    lines.set(name, line);
    return line.isKept() ? line : undefined;
  }

  const timeoutTo = (deadlineMs: number): number =>
    Math.min(callMs, Math.max(1, deadlineMs - clock.now()));

  return {
    isThere: facilitators.some(({ client }) => client.keepVouchers !== undefined),
    async pass(channel, authority, isAgain = false) {
      const line = lineOf(channel.network, authority);
      const ahead = unvaultedOf(channel);
      if (line && (ahead > 0n || isAgain)) await line.pass(channel, ahead * 2n >= maxUnvaulted);
    },
    async secure(channel, authority, { amount, deadlineMs }) {
      const line = lineOf(channel.network, authority);
      const least = amount * callsUnvaultedMin;
      const bound = maxUnvaulted > least ? maxUnvaulted : least;
      if (!line || unvaultedOf(channel) + amount <= bound) return undefined;
      const reply = await line.flush(channel, timeoutTo(deadlineMs));
      if (reply.kind === "none") return undefined;
      return reply.kind === "kept" ? refusalOf(channel, reply.rows.get(channel.id)) : reply;
    },
    async find(row, network, authority, deadlineMs) {
      const line = lineOf(network.id, authority);
      const reply = await line?.send([row], timeoutTo(deadlineMs));
      if (reply?.kind === "fault" || reply?.kind === "account") return reply;
      const kept = reply?.kind === "kept" ? reply.rows.get(row.id) : undefined;
      return typeof kept === "object" ? kept : undefined;
    },
    async drain() {
      await Promise.all([...lines.values()].map((line) => line.drain()));
    },
  };
}

const unproved = "it names a total for which it shows no voucher of the payer";

/**
 * What the facilitator says of the rows that it was sent. A higher total replaces the voucher here, so it
 * counts only with a voucher that the payer has signed for it.
 */
function provedRows(network: Network, sent: readonly VaultRow[], told: KeptVouchers): KeptVouchers {
  const rows = new Map<Hex, KeptVoucher | string>();
  for (const row of sent) {
    const kept = told.get(row.id);
    if (kept !== undefined) rows.set(row.id, isProved(network, row, kept) ? kept : unproved);
  }
  return rows;
}

function isProved(network: Network, { id, config, charged }: VaultRow, kept: KeptVoucher | string) {
  if (typeof kept === "string" || kept.charged <= charged) return true;
  const { voucher } = kept;
  const signed = checkVoucher(network, config, { ...voucher, channelId: id });
  return signed.ok && kept.charged <= voucher.maxClaimableAmount;
}

/** The first of these rows, as many as one call may have; at least one. */
function rowsThatFit(all: readonly StoredChannel[]): readonly StoredChannel[] {
  let bytes = 0;
  const end = all.slice(0, rowsPerCall).findIndex(({ sold }, at) => {
    bytes += rowBytes + (sold.length === 0 ? 0 : JSON.stringify(toWireSoldParts(sold)).length);
    return at > 0 && bytes > rowsBytesMax;
  });
  return all.slice(0, end === -1 ? rowsPerCall : end);
}

function toWireRow(row: VaultRow, claimSignature: Hex | undefined) {
  const { voucher, signature, totalClaimed: charged } = toWireClaim(claimOf(row));
  const { channel: channelConfig, maxClaimableAmount } = voucher;
  const sold = row.sold.length === 0 ? undefined : toWireSoldParts(row.sold);
  const more = defined({ claimSignature, sold });
  return { channelConfig, maxClaimableAmount, signature, charged, ...more };
}

function refusalOf(
  { id }: StoredChannel,
  row: KeptVoucher | string | undefined,
): Fault | undefined {
  if (typeof row === "object") return undefined;
  const message = `The facilitator does not keep the voucher of channel ${id}: ${row ?? "it is not in the answer"}`;
  return { kind: "fault", reason: "unavailable", message };
}
