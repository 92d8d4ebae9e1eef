/**
 * Payment channels of a seller: what each was charged, its newest voucher, and what the chain said.
 * One request of a channel works at a time, in whichever process; its lease ends when its process dies.
 * The rules for every store: each is a function of the stored channel, tried again when another process
 * was first.
 */
import {
  addSoldPart,
  newestParts,
  type ChannelConfig,
  type ChannelState,
  type Hex,
  type SoldNames,
  type Voucher,
} from "@farthing/protocol";
import { unref } from "../../clock.ts";
import type { KeptVoucher } from "../../channels/kept-vouchers.ts";
import type { KeptCall } from "./kept-call.ts";
import {
  countedTotal,
  newVersion,
  type ChannelList,
  type ChannelStore,
  type FoundChannel,
  type OpenRefund,
  type StoredChannel,
} from "./channel-store.ts";

/** A channel before its first call. */
export interface NewChannel {
  readonly id: Hex;
  readonly network: string;
  readonly config: ChannelConfig;
  readonly voucher: Voucher;
  readonly state: ChannelState;
  /** Base units, where the facilitator keeps a higher total than the chain says. */
  readonly charged?: bigint;
}

export interface ChannelCharge {
  /** Base units, 0 where the call costs nothing. */
  readonly cost: bigint;
  readonly voucher: Voucher;
  /** What the call was for, where a facilitator is told it with the voucher. */
  readonly names?: SoldNames | undefined;
  /** Returns the response to keep with the charge of the channel after it. */
  readonly keep?: (after: StoredChannel) => KeptCall | undefined;
}

/**
 * The right to work on one channel. Every step returns the channel after it; undefined once the lease
 * has ended, when another request may be at work.
 */
export interface HeldChannel {
  /** As it was when it was taken. */
  readonly channel: StoredChannel;
  /** When that was, by the clock of the store. */
  readonly takenAtMs: number;
  /** Records what the chain says, newer than what is stored. */
  mirror(state: ChannelState): Promise<StoredChannel | undefined>;
  /** Adds to what the channel was charged, and ends the work. */
  charge(charge: ChannelCharge): Promise<StoredChannel | undefined>;
  /**
   * Records that a refund is about to be sent, or that it was refused. What the chain said counts no
   * longer then: an earlier try of the refund may have changed it.
   */
  refunding(refund: OpenRefund | undefined): Promise<StoredChannel | undefined>;
  /** Ends the work. A channel that nothing came of is forgotten. */
  release(isVoid?: boolean): Promise<void>;
}

export type ChannelHolding =
  | { readonly kind: "held"; readonly held: HeldChannel }
  | { readonly kind: "busy" }
  | { readonly kind: "unknown" }
  /** No room for another channel. */
  | { readonly kind: "full" };

/** The channels of a seller, shared by all processes that share the payment records. */
export interface Channels {
  find(id: Hex): Promise<StoredChannel | undefined>;
  /** Takes a channel for one request; `opened` is stored where it is not known. */
  hold(id: Hex, opened?: NewChannel): Promise<ChannelHolding>;
  /** Records what a claim has claimed, whoever works on the channel. */
  claimed(id: Hex, totalClaimed: bigint): Promise<void>;
  /**
   * Records what the facilitator keeps, whoever works on the channel. Where that is more than was
   * charged here, these records have lost charges, and take its voucher over once nobody works.
   */
  vaulted(id: Hex, kept: KeptVoucher): Promise<void>;
  /** Channels of a list, by id, after this one. */
  list(list: ChannelList, afterId: string, limit: number): Promise<readonly StoredChannel[]>;
}

/** Channels that a process remembers as it has left them; some 2 kB each. */
const maxRemembered = 4_096;

/** Each lost try is the success of another process, of which there are few. */
const maxTries = 100;

/** Renewals in the time of one lease: two may be late or lost before it ends. */
const renewalsPerLease = 3;

type Rule = (found: StoredChannel | undefined, nowMs: number) => StoredChannel | "gone" | undefined;

type ChangeChannel = (
  id: Hex,
  rule: Rule,
  keep?: ChannelCharge["keep"],
) => Promise<StoredChannel | "gone" | undefined>;

export function createChannels(store: ChannelStore, leaseMs: number): Channels {
  const memory = createMemory(store);
  /** Returns what is stored after the rule; undefined where the rule changes nothing. */
  const change: ChangeChannel = async (id, rule, keep) => {
    for (let nth = 1; nth <= maxTries; nth++) {
      const remembered = memory.take(id);
      const guess = remembered && rule(remembered.channel, remembered.nowMs);
      // Only what changes something is certain without a look: another process may have been there.
      const { version, channel, nowMs } = guess && remembered ? remembered : await store.get(id);
      const next = guess ?? rule(channel, nowMs);
      if (next === undefined) return undefined;
      const nextVersion = newVersion();
      const isDone =
        next === "gone"
          ? await store.remove(version, id)
          : await store.compareAndSet(version, next, {
              nextVersion,
              isLasting: isLasting(channel, next),
              kept: keep?.(next),
            });
      if (!isDone) continue;
      if (next !== "gone") memory.put(nextVersion, next);
      return next;
    }
    throw new Error("Other processes change this channel all the time.");
  };

  async function hold(id: Hex, opened?: NewChannel): Promise<ChannelHolding> {
    const holder = crypto.randomUUID();
    let kind: "busy" | "unknown" = "unknown";
    let takenAtMs = 0;
    if (opened && store.makeRoom && !(await store.get(id)).channel && !(await store.makeRoom())) {
      return { kind: "full" };
    }
    const channel = await change(id, (found, nowMs) => {
      kind = found ? "busy" : "unknown";
      takenAtMs = nowMs;
      if (found && isHeld(found, nowMs)) return undefined;
      const base = found ?? (opened && firstOf(opened, nowMs));
      return base && { ...base, holder, heldUntilMs: nowMs + leaseMs };
    });
    if (channel === undefined || channel === "gone") return { kind };
    return { kind: "held", held: holdChannel(change, { channel, takenAtMs, leaseMs }) };
  }

  return {
    find: async (id) => (await store.get(id)).channel,
    hold,
    async claimed(id, totalClaimed) {
      await change(id, (found) => {
        if (!found || found.state.totalClaimed >= totalClaimed) return undefined;
        return withState(found, { ...found.state, totalClaimed }, found.readAtMs);
      });
    },
    async vaulted(id, kept) {
      await change(id, (found, nowMs) => found && withKept(found, kept, nowMs));
    },
    list: (list, afterId, limit) => store.list(list, afterId, limit),
  };
}

/**
 * What this process has stored last, by id, the longest unused first. A version is never that of another
 * state, so a change of what is remembered is made where it is true still, and is refused otherwise.
 */
function createMemory(store: ChannelStore) {
  const entries = new Map<
    Hex,
    Pick<FoundChannel, "version"> & { readonly channel: StoredChannel }
  >();
  return {
    /** It is put back once a change has succeeded. */
    take(id: Hex) {
      const found = entries.get(id);
      const nowMs = found && store.nowMs?.();
      entries.delete(id);
      return found && nowMs !== undefined ? { ...found, nowMs } : undefined;
    },
    put(version: number, channel: StoredChannel): void {
      if (!store.nowMs) return;
      entries.delete(channel.id);
      entries.set(channel.id, { version, channel });
      if (entries.size <= maxRemembered) return;
      for (const oldest of entries.keys()) return void entries.delete(oldest);
    },
  };
}

function isHeld({ holder, heldUntilMs }: StoredChannel, nowMs: number): boolean {
  return holder !== "" && heldUntilMs > nowMs;
}

const unheld = { holder: "", heldUntilMs: 0 } as const;

/** A lease that is lost lets another request work, which changes nothing that was charged. */
function isLasting(before: StoredChannel | undefined, after: StoredChannel): boolean {
  return before?.charged !== after.charged || before.openRefund !== after.openRefund;
}

/** What was claimed was charged: a channel is opened by a voucher of its payer for the total after it. */
export function firstOf(opened: NewChannel, nowMs: number): StoredChannel {
  const { state, charged = 0n } = opened;
  const blank = { ...unheld, openRefund: undefined, readAtMs: nowMs };
  return {
    ...opened,
    ...blank,
    vaulted: charged,
    sold: [],
    charged: charged > state.totalClaimed ? charged : state.totalClaimed,
  };
}

function withState(found: StoredChannel, state: ChannelState, readAtMs: number): StoredChannel {
  const { openRefund } = found;
  const isOpen = openRefund !== undefined && state.refundNonce <= openRefund.nonce;
  return {
    ...found,
    state,
    readAtMs,
    openRefund: isOpen ? openRefund : undefined,
  };
}

/** Returns undefined where nothing of it is new. */
function withKept(
  found: StoredChannel,
  { charged, voucher, claimed = 0n }: KeptVoucher,
  nowMs: number,
): StoredChannel | undefined {
  const isBehind = charged > found.charged;
  if (isBehind && isHeld(found, nowMs)) return undefined;
  const isNewer = charged > found.vaulted;
  if (!isNewer && !isBehind && claimed <= found.state.totalClaimed) return undefined;
  // Empty where all of it is kept.
  const sold = newestParts(found.sold, found.charged - charged);
  const vaulted = isNewer ? { ...found, vaulted: charged, sold } : found;
  const after = isBehind ? { ...vaulted, charged, voucher } : vaulted;
  if (claimed <= found.state.totalClaimed) return after;
  // Claims of more than was charged are looked up with the next call.
  const readAtMs = claimed > after.charged ? 0 : after.readAtMs;
  return withState(after, { ...after.state, totalClaimed: claimed }, readAtMs);
}

interface Holding extends Pick<HeldChannel, "channel" | "takenAtMs"> {
  readonly leaseMs: number;
}

function holdChannel(change: ChangeChannel, { channel, takenAtMs, leaseMs }: Holding): HeldChannel {
  const { id, holder } = channel;
  async function step(
    rule: (found: StoredChannel, nowMs: number) => StoredChannel | "gone",
    keep?: ChannelCharge["keep"],
  ): Promise<StoredChannel | undefined> {
    const held: Rule = (found, nowMs) =>
      found?.holder === holder ? rule(found, nowMs) : undefined;
    const made = await change(id, held, keep);
    return made === "gone" ? undefined : made;
  }
  let isOver = false;
  // Whoever ends the work gives its name up, so that later steps find nothing to change.
  const end: typeof step = async (...change) => {
    clearInterval(timer);
    const made = await step(...change);
    isOver = true;
    return made;
  };
  // A lease that is not renewed in time ends, and the steps say so.
  const renew = () => step((found, nowMs) => ({ ...found, heldUntilMs: nowMs + leaseMs }));
  const timer = Number.isFinite(leaseMs)
    ? setInterval(() => void renew().catch(() => undefined), leaseMs / renewalsPerLease)
    : undefined;
  unref(timer);
  return {
    channel,
    takenAtMs,
    mirror: (state) => step((found, nowMs) => withState(found, state, nowMs)),
    charge: ({ cost, voucher, names, keep }) =>
      end((found) => {
        const total = countedTotal(found) + cost;
        // Of claims that were told during the work, this voucher says nothing.
        const charged = total <= voucher.maxClaimableAmount ? total : found.charged + cost;
        const sold = names ? addSoldPart(found.sold, { ...names, units: cost }) : found.sold;
        return { ...found, ...unheld, charged, sold, voucher };
      }, keep),
    refunding: (openRefund) =>
      step((found) => ({ ...found, openRefund, ...(openRefund ? {} : { readAtMs: 0 }) })),
    async release(isVoid = false) {
      // Nothing is left to end after a charge. To find that out costs two questions to the store.
      if (isOver) return;
      await end((found) => (isVoid ? "gone" : { ...found, ...unheld }));
    },
  };
}
