/**
 * Moves waiting settlements to wallets in the order of fair-queue.ts. An idle relayer sends a single
 * payment at once, a loaded one fills batches. Payments of contract wallets go alone, because their code
 * runs in our transaction, unless the batch contract gives each its own gas limit.
 */
import {
  depositCollector,
  isSameAddress,
  refusal,
  type Address,
  type ChainId,
} from "@farthing/protocol";
import { createBatcher } from "../base/batcher.ts";
import { warning, type Runtime } from "../base/log.ts";
import type { TokenPause } from "../chain/payments/token-pause.ts";
import type { Settlement } from "../model/settlement.ts";
import type { EngineStore } from "../storage/engine-store.ts";
import { FairQueue, type QueueGroup } from "./fair-queue.ts";
import { fitTogether, isLimited, type AnyBatchSettings } from "./fit-together.ts";
import type { PaymentPlan } from "./limited-batch.ts";
import type { SettlementTraces } from "./settlement-traces.ts";
import type { NonceManager } from "./wallet-nonces.ts";
import {
  prepare,
  type Carriage,
  type FailedSimulation,
  type PrepareDeps,
  type QueuedSettlement,
} from "./prepare.ts";
import { trackUse, type UseTracker } from "./transaction-use.ts";
import { waitingMax, type QueueCandidate } from "./queue-capacity.ts";

/**
 * After this an unreported payment of a contract wallet no longer counts as pending; the store counts
 * such payments again before a nonce is reserved.
 */
const pendingMaxMs = 10 * 60_000;

/** A batch gathers while all wallets are busy: an eightieth of the 2 s block period. */
const gatherMs = 25;

/** More payers may wait for the lookup than settlements may wait to be sent. */
const lookups = { itemsMax: 200, inFlightMax: 1, waitingMax: 2 * waitingMax };

/** What happens to a settlement that is not sent. */
export interface QueueEvents {
  /** The transfer would fail at a block; it was not signed. */
  onRefused(settlement: Settlement, failure: FailedSimulation): Promise<void>;
}

/** The fields that determine a settlement's place in the queue. */
export type Waiter = Pick<Settlement, "payer" | "payTo" | "owner" | "priority" | "payerHasCode">;

/** A deposit takes more gas than a place in a batch has. */
function isDeposit({ payTo }: Pick<Waiter, "payTo">): boolean {
  return isSameAddress(payTo, depositCollector);
}

export interface WorkQueueDeps extends PrepareDeps, Runtime {
  readonly tokenPause: Pick<TokenPause, "sinceMs">;
  readonly store: Pick<EngineStore, "listUnassigned" | "findPayerPauses" | "findProvenPayers">;
  readonly events: QueueEvents;
  readonly traces: SettlementTraces;
  readonly managers: readonly NonceManager[];
  /** Pending transactions of one wallet at most. */
  readonly inFlightMax: number;
  /** Undefined while batching is off or the network has no Multicall3. */
  batching(): AnyBatchSettings | undefined;
  /** How many payments a batch carries at the present gas price and block gas limit. */
  batchPayments(): number;
}

type Queued = readonly QueuedSettlement[];

export class WorkQueue {
  readonly #deps: WorkQueueDeps;
  readonly #chainId: ChainId;
  readonly #queue: FairQueue<QueuedSettlement>;
  readonly #use: UseTracker;
  /** Nonces reserved for settlements that are being prepared. */
  readonly #reserved = new Map<NonceManager, number>();
  readonly #working = new Set<Promise<void>>();
  readonly #isProven: (payer: Address) => Promise<boolean>;
  #isScheduled = false;
  #isStopping = false;

  constructor(deps: WorkQueueDeps) {
    this.#deps = deps;
    this.#chainId = deps.chain.network.chainId;
    this.#queue = new FairQueue(deps.contractInFlightMax, deps.batchPayments);
    this.#use = trackUse(deps);
    this.#isProven = createBatcher<Address, boolean>({
      run: (payers) => deps.store.findProvenPayers(this.#chainId, payers, deps.clock.nowMs()),
      ...lookups,
    });
  }

  get size(): number {
    return this.#queue.size;
  }

  hasRoom(waiter: Waiter): boolean {
    return this.#queue.hasRoom(this.#candidateOf(waiter));
  }

  /** Call what it returns once the settlement is enqueued or was not claimed. */
  reserve(waiter: Waiter): (() => void) | undefined {
    return this.#queue.reserve(this.#candidateOf(waiter));
  }

  /** Adds a settlement unless it is queued already. */
  enqueue(queued: QueuedSettlement): void {
    const { settlement, goesAlone = false } = queued;
    const { id, createdAt, priority } = settlement;
    if (priority === "keyed") this.#use.noteKeyed();
    const candidate = this.#candidateOf(settlement, goesAlone);
    this.#queue.add({ ...candidate, id, since: createdAt }, queued);
    if (settlement.payerHasCode && candidate.isAlone) void this.#preferProven(settlement);
    this.#schedule();
  }

  /** Forgets settlements that another process carries, or that have an outcome. */
  forget(ids: Iterable<string>): void {
    for (const id of ids) this.#queue.end(id);
  }

  /** Also resumes what was deferred. */
  dispatchAll(): void {
    const now = this.#deps.clock.nowMs();
    this.#queue.resume(now);
    this.#queue.releaseOlderThan(now - pendingMaxMs);
    this.dispatch();
  }

  /** Passes work to wallets with room. */
  dispatch(): void {
    this.#isScheduled = false;
    // What was claimed waits until the price is within the operator's bounds, or a pause has ended.
    const { batching, gasPrices, tokenPause } = this.#deps;
    if (gasPrices.problem() !== undefined || tokenPause.sinceMs() !== undefined) return;
    for (let to = this.#withRoom(); to && this.#queue.readySize > 0; to = this.#withRoom()) {
      const group = this.#queue.take(this.#use.now(), batching()?.paymentsMax ?? 1);
      // The waiting kinds already have their share of the pending transactions.
      if (!group) return;
      this.#reserved.set(to, this.#reservedOf(to) + 1);
      this.#use.begin(group);
      const ids = group.values.map(({ settlement }) => settlement.id);
      const carrying = this.#deps.traces.around(ids, () => this.#carry(to, group));
      const work = carrying.finally(() => this.#working.delete(work));
      this.#working.add(work);
    }
  }

  /** Waits for the settlements that are being carried. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#working);
  }

  /** The group of a keyed caller is the account, of a keyless one the payee. */
  #candidateOf(waiter: Waiter, goesAlone = false): QueueCandidate {
    const { payer, payTo, owner, priority, payerHasCode } = waiter;
    const isKeyed = priority === "keyed";
    return {
      group: ((isKeyed ? owner : null) ?? payTo).toLowerCase(),
      payer: payer.toLowerCase(),
      isKeyed,
      isAlone:
        goesAlone || isDeposit(waiter) || (payerHasCode && !isLimited(this.#deps.batching())),
      isBounded: goesAlone || payerHasCode,
    };
  }

  #reservedOf(manager: NonceManager): number {
    return this.#reserved.get(manager) ?? 0;
  }

  #roomOf(manager: NonceManager): number {
    return manager.room() - this.#reservedOf(manager);
  }

  #withRoom(): NonceManager | undefined {
    if (this.#isStopping) return undefined;
    return this.#deps.managers.reduce<NonceManager | undefined>(
      (best, next) => (this.#roomOf(next) > (best ? this.#roomOf(best) : 0) ? next : best),
      undefined,
    );
  }

  async #carry(manager: NonceManager, group: QueueGroup<QueuedSettlement>): Promise<void> {
    const { log, clock } = this.#deps;
    let waiting = group.values;
    let carried: ReadonlySet<string> = new Set();
    try {
      const free = await this.#unpaused(await this.#stillFree(group.values));
      const hasLimits = isLimited(this.#deps.batching()) && free.length > 1;
      const isShared = free.length > 1 && !hasLimits;
      const carriage = { from: manager.signer.address, hasLimits, isShared };
      const plans = await Promise.all(free.map((queued) => this.#prepare(queued, carriage)));
      const ready = plans.filter((plan) => plan !== undefined);
      const planned = new Set(ready.flatMap(({ settlementIds }) => settlementIds));
      waiting = free.filter(({ settlement }) => planned.has(settlement.id));
      const fitting = await this.#fitTogether(manager, ready, waiting);
      if (fitting.length > 0) carried = await manager.submit(fitting);
      const sent = fitting.flatMap(({ settlementIds }) => settlementIds);
      // The store refuses a whole plan when another process took one of its settlements.
      if (carried.size < sent.length) this.#deferPossiblyTaken(waiting, new Set(sent), carried);
    } catch (error) {
      const fields = { chainId: this.#chainId, settlements: waiting.length };
      const message = "Settlements deferred; retrying in a second";
      warning(log, { event: "batch_deferred", ...fields }, message)(error);
      // The store leaves out settlements that did get a nonce.
      this.#deferAll(waiting);
    } finally {
      this.#reserved.set(manager, this.#reservedOf(manager) - 1);
      this.#use.end(group);
      for (const { settlement } of group.values) {
        if (carried.has(settlement.id)) this.#queue.carry(settlement.id, clock.nowMs());
        else this.#queue.drop(settlement.id);
      }
      this.#schedule();
    }
  }

  #deferPossiblyTaken(group: Queued, sent: ReadonlySet<string>, carried: ReadonlySet<string>) {
    for (const queued of group) {
      const { id } = queued.settlement;
      if (!sent.has(id) || carried.has(id)) continue;
      this.#defer({ ...queued, simulatedAt: 0, isPossiblyTaken: true });
    }
  }

  /** Leaves out settlements that another process has taken. */
  async #stillFree(group: Queued): Promise<Queued> {
    if (!group.some(({ isPossiblyTaken }) => isPossiblyTaken)) return group;
    const unassigned = await this.#deps.store.listUnassigned({
      ids: group.map(({ settlement }) => settlement.id),
    });
    const free = new Set(unassigned.map(({ id }) => id));
    return group.filter(({ settlement }) => free.has(settlement.id));
  }

  /** Defers payments whose payers are paused after reverts, of their own or in a batch. */
  async #unpaused(group: Queued): Promise<Queued> {
    const asked = group.filter((one) => one.settlement.payerHasCode || one.goesAlone);
    if (asked.length === 0) return group;
    const payers = asked.map(({ settlement }) => settlement.payer);
    const pauses = await this.#deps.store.findPayerPauses(this.#chainId, payers);
    const paused = new Set<QueuedSettlement>();
    for (const [index, queued] of asked.entries()) {
      const until = pauses[index]?.pausedUntilMs ?? 0;
      if (until <= this.#deps.clock.nowMs()) continue;
      this.#queue.pause(this.#candidateOf(queued.settlement).payer, until);
      paused.add(queued);
    }
    this.#deferAll([...paused]);
    return group.filter((queued) => !paused.has(queued));
  }

  /** Returns one transaction for all that fit together and defers the others. */
  async #fitTogether(manager: NonceManager, plans: readonly PaymentPlan[], group: Queued) {
    const { chain, batching, events, headNumber } = this.#deps;
    const fitted = await fitTogether(manager, plans, { chain, settings: batching(), group });
    const [left, alone] = [new Set(fitted.left), new Set(fitted.alone)];
    const failure = { refusal: refusal("simulation_failed"), atBlock: headNumber() };
    this.#deferAll(group.filter(({ settlement }) => left.has(settlement.id)));
    for (const queued of group.filter(({ settlement }) => alone.has(settlement.id))) {
      // A wallet that is deployed by its batch fails there even without others beside it.
      if (group.length === 1) await events.onRefused(queued.settlement, failure);
      else this.#defer({ ...queued, simulatedAt: 0, goesAlone: true });
    }
    return fitted.plans;
  }

  async #prepare(queued: QueuedSettlement, carriage: Carriage): Promise<PaymentPlan | undefined> {
    const { log, events } = this.#deps;
    try {
      const preparation = await prepare(queued, carriage, this.#deps);
      if (preparation.kind === "plan") return preparation.plan;
      if (preparation.kind === "wait") this.#defer(queued);
      if (preparation.kind === "alone") this.#defer(preparation.queued);
      // An expiring one is not sent; it ends when it has expired on chain.
      if (preparation.kind === "refused") await events.onRefused(queued.settlement, preparation);
    } catch (error) {
      const fields = { chainId: this.#chainId, settlementId: queued.settlement.id };
      const message = "Settlement deferred; retrying in a second";
      warning(log, { event: "settlement_deferred", ...fields }, message)(error);
      this.#defer(queued);
    }
    return undefined;
  }

  /** Lets contract wallets that have paid before go first; a failed lookup changes nothing. */
  async #preferProven({ id, payer }: Settlement): Promise<void> {
    if (await this.#isProven(payer).catch(() => false)) this.#queue.prove(id);
  }

  /** They are simulated again later. */
  #deferAll(group: Queued): void {
    for (const queued of group) this.#defer({ ...queued, simulatedAt: 0 });
  }

  #defer(queued: QueuedSettlement): void {
    const { settlement, goesAlone } = queued;
    this.#queue.defer(settlement.id, queued, this.#deps.clock.nowMs(), goesAlone);
  }

  /**
   * Dispatches once per turn of the event loop, so that settlements claimed together are sent together.
   * While every wallet has pending transactions, a batch gathers a little longer.
   */
  #schedule(): void {
    if (this.#isScheduled || this.#queue.readySize === 0) return;
    this.#isScheduled = true;
    const { batching, managers, clock } = this.#deps;
    const batchMax = batching()?.paymentsMax ?? 1;
    const isBusy = managers.every(
      (manager) => manager.pendingCount() + this.#reservedOf(manager) > 0,
    );
    if (isBusy && this.#queue.readySize < batchMax) {
      void clock.sleep(gatherMs).then(() => this.dispatch());
    } else setImmediate(() => this.dispatch());
  }
}
