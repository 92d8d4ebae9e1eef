/**
 * A lane: one wallet on one network, worked by one process at a time. Everything that uses the
 * wallet goes through here, one step after the other: take nonces, sign, store the bytes, send in
 * nonce order. What is not mined after a while is sent again, the same bytes, lowest nonce first.
 */
import type { Clock } from "../base/clock.ts";
import { Fault, messageOf } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import type { Chain } from "../chain/chain.ts";
import { readTransactionCount } from "../chain/reads.ts";
import type {
  LaneLease,
  RelayerTransaction,
  TransactionPlan,
} from "../model/relayer-transaction.ts";
import type { Settlement } from "../model/settlement.ts";
import type { Store } from "../storage/store.ts";
import { broadcast, type SendOutcome } from "./broadcast.ts";
import { leaseMs, leaseRenewMs, type LeaseOwner } from "./lease.ts";
import type { Signer } from "./sign.ts";

/**
 * Transactions in flight per wallet: XDC nodes refuse a nonce more than ten above what they have
 * seen, and every node applies that to its own view, so eight leaves room for a lagging one.
 */
export const inFlightMaxDefault = 8;

/** Blocks without inclusion after which bytes are sent again: more than the usual one or two. */
const resendAfterBlocks = 3;

/** What a lane tells. */
export interface LaneEvents {
  /** Bytes are stored; from here on only the chain may say "failed". */
  onSubmitted(settlements: readonly Settlement[]): void;
  /** A node has the bytes. */
  onSent(settlementIds: readonly string[]): void;
}

/** A transaction on its way, with what is known of it in memory. */
export interface InFlight {
  readonly transaction: RelayerTransaction;
  /** Settlements it carries whose outcome is not known yet. */
  readonly unresolved: Set<string>;
  outcome: SendOutcome | "unsent";
  /** Head block at the last send. */
  sentAtBlock: number;
}

/** A working lane. */
export interface Lane {
  readonly signer: Signer;
  /** How many more transactions it takes now; 0 while it is paused or not ours. */
  room(): number;
  /** Transactions on their way, by nonce. */
  inFlight(): readonly InFlight[];
  /** Takes nonces, signs, stores, sends. Throws when nothing was taken for any plan. */
  submit(plans: readonly TransactionPlan[]): Promise<void>;
  /** Ends transactions that are mined, or whose nonce went to another one. */
  close(transactions: readonly RelayerTransaction[], state: "mined" | "dropped"): Promise<void>;
  /** Takes transactions back whose block was reorganised away. */
  reopen(transactions: readonly RelayerTransaction[]): void;
  /** Sends again what a node does not seem to have. */
  resend(headNumber: number): Promise<void>;
  /** Keeps or takes the lease, and picks up what is stored. Called now and then. */
  keep(): Promise<void>;
  /** Finishes what is being signed and gives the lease back. */
  stop(): Promise<void>;
}

/** What a lane works with. */
export interface LaneDeps {
  readonly chain: Chain;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly owner: LeaseOwner;
  readonly events: LaneEvents;
  readonly inFlightMax: number;
  headNumber(): number;
}

/** Creates the lane of a wallet; it takes no work before `keep` has got the lease. */
export function createLane(signer: Signer, deps: LaneDeps): Lane {
  const { chain, store, clock, log, owner, events } = deps;
  const { chainId } = chain.network;
  const facts = { chainId, relayer: signer.address };
  const flying = new Map<number, InFlight>();
  let lease: LaneLease | undefined;
  let renewedAt = 0;
  let endpoint = 0;
  let pause: SendOutcome | undefined;
  let tail: Promise<unknown> = Promise.resolve();
  let isStopping = false;
  let hasLeftovers = false;

  /** Runs steps one after the other: a lane has one writer, also within the process. */
  function inTurn<T>(step: () => Promise<T>): Promise<T> {
    const run = tail.then(step, step);
    tail = run.catch(() => undefined);
    return run;
  }

  async function submit(plans: readonly TransactionPlan[]): Promise<void> {
    const held = lease;
    if (!held || isStopping) throw new Fault("lease_lost", "The lane is not ours");
    const reserved = await losingLease(() => store.reserveTransactions(held, plans, clock.nowMs()));
    try {
      await signAndStore(held, reserved);
    } catch (error) {
      // Nonces are taken and nothing is signed: `keep` picks them up from the store.
      hasLeftovers = true;
      throw error;
    }
    await sendAll(reserved.flatMap(({ id }) => flying.get(id) ?? []));
  }

  async function signAndStore(
    held: LaneLease,
    reserved: readonly RelayerTransaction[],
  ): Promise<void> {
    if (reserved.length === 0) return;
    const signed = await Promise.all(
      reserved.map(async (transaction) => ({ transaction, ...(await signer.sign(transaction)) })),
    );
    const rows = signed.map(({ transaction, raw, hash }) => ({ id: transaction.id, raw, hash }));
    const submitted = await losingLease(() => store.recordSigned(held, rows, clock.nowMs()));
    for (const { transaction, raw, hash } of signed) {
      add({ ...transaction, raw, hash, state: "signed" });
      log.info(
        {
          ...facts,
          transaction: hash,
          nonce: transaction.nonce,
          settlements: transaction.settlementIds.length,
        },
        "Transaction signed and stored",
      );
    }
    events.onSubmitted(submitted);
  }

  function add(transaction: RelayerTransaction): void {
    flying.set(transaction.id, {
      transaction,
      unresolved: new Set(transaction.settlementIds),
      outcome: "unsent",
      sentAtBlock: deps.headNumber(),
    });
  }

  async function sendAll(entries: readonly InFlight[]): Promise<void> {
    if (entries.length === 0) return;
    const outcomes = await broadcast(
      chain,
      endpoint,
      entries.map(({ transaction }) => transaction),
      log,
    );
    const accepted: InFlight[] = [];
    for (const [index, entry] of entries.entries()) {
      const outcome = outcomes[index] ?? "unknown";
      entry.outcome = outcome;
      entry.sentAtBlock = deps.headNumber();
      if (outcome === "accepted") accepted.push(entry);
      else reportUnaccepted(entry, outcome);
    }
    pause = outcomes.find(isPausing);
    // Another endpoint next time: this one did not answer, or lacks what came before.
    if (outcomes.some((outcome) => outcome === "unknown" || outcome === "nonce_too_high"))
      endpoint++;
    await store.recordSent(
      accepted.map(({ transaction }) => transaction.id),
      clock.nowMs(),
    );
    events.onSent(accepted.flatMap(({ transaction }) => transaction.settlementIds));
  }

  function reportUnaccepted(entry: InFlight, outcome: SendOutcome): void {
    const { hash, nonce } = entry.transaction;
    log.warn({ ...facts, transaction: hash, nonce, outcome }, "Transaction not accepted yet");
  }

  async function resend(headNumber: number): Promise<void> {
    const entries = inOrder();
    const isDue = entries.some((entry) =>
      entry.outcome !== "accepted"
        ? headNumber > entry.sentAtBlock || entry.outcome === "unsent"
        : headNumber >= entry.sentAtBlock + resendAfterBlocks,
    );
    // From the lowest nonce: a node that lacks a predecessor would refuse the rest.
    if (isDue) await sendAll(entries);
  }

  function inOrder(): InFlight[] {
    return [...flying.values()].toSorted(
      (one, other) => one.transaction.nonce - other.transaction.nonce,
    );
  }

  async function keep(): Promise<void> {
    const now = clock.nowMs();
    if (lease && hasLeftovers) await pickUp(lease);
    if (lease && now - renewedAt < leaseRenewMs) return;
    if (lease && (await store.renewLane(lease, owner.id, now + leaseMs))) {
      renewedAt = now;
      return;
    }
    if (lease) loseLease();
    await takeOver();
  }

  async function takeOver(): Promise<void> {
    const now = clock.nowMs();
    const holder = await store.findLaneHolder(chainId, signer.address);
    const goneOwner = holder?.owner && owner.isGone(holder.owner) ? holder.owner : undefined;
    if (holder?.owner && holder.owner !== owner.id && holder.until > now && !goneOwner) return;
    const nonceFloor = await readTransactionCount(chain, signer.address);
    const lane = { chainId, lane: signer.address, owner: owner.id, goneOwner };
    const taken = await store.takeLane({ ...lane, nonceFloor, until: now + leaseMs, now });
    if (!taken) return;
    lease = taken;
    renewedAt = now;
    await pickUp(taken);
  }

  /** What an earlier process left: bytes that may be anywhere, and nonces without bytes. */
  async function pickUp(taken: LaneLease): Promise<void> {
    const open = await store.listOpenTransactions(chainId, signer.address);
    for (const transaction of open) {
      if (transaction.raw !== null && !flying.has(transaction.id)) add(transaction);
    }
    await signAndStore(
      taken,
      open.filter(({ raw }) => raw === null),
    );
    hasLeftovers = false;
    log.info(
      { ...facts, fence: taken.fence, open: open.length, nextNonce: taken.nextNonce },
      "Relayer wallet taken",
    );
    await sendAll(inOrder());
  }

  async function losingLease<T>(step: () => Promise<T>): Promise<T> {
    try {
      return await step();
    } catch (error) {
      if (error instanceof Fault && error.code === "lease_lost") loseLease();
      throw error;
    }
  }

  function loseLease(): void {
    log.warn(facts, "Relayer wallet is now worked by another process");
    lease = undefined;
    flying.clear();
  }

  return {
    signer,
    room: () => (lease && !isStopping && pause === undefined ? deps.inFlightMax - flying.size : 0),
    inFlight: inOrder,
    submit: (plans) => inTurn(() => submit(plans)),
    close: async (transactions, state) => {
      for (const { id } of transactions) flying.delete(id);
      await store.closeTransactions(
        transactions.map(({ id }) => id),
        state,
      );
    },
    reopen: (transactions) => {
      for (const transaction of transactions) if (!flying.has(transaction.id)) add(transaction);
    },
    resend: (headNumber) => inTurn(() => resend(headNumber)),
    keep: () =>
      inTurn(async () => {
        try {
          if (!isStopping) await keep();
        } catch (error) {
          log.warn({ ...facts, problem: messageOf(error) }, "Could not keep the relayer wallet");
        }
      }),
    stop: () => {
      isStopping = true;
      return inTurn(async () => {
        if (lease) await store.releaseLane(lease, owner.id);
        lease = undefined;
      });
    },
  };
}

/** Outcomes after which a wallet takes no new work until one of its sends is accepted again. */
function isPausing(outcome: SendOutcome): boolean {
  return (
    outcome === "insufficient_gas_money" ||
    outcome === "price_too_low" ||
    outcome === "wrong_chain_or_type" ||
    outcome === "blacklisted"
  );
}
