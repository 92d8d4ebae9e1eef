/**
 * Metrics in the format of Prometheus. The store, the endpoints and HTTP are observed from outside,
 * where they are wired; states are read when the metrics are requested.
 */
import { networkOfChain, type ChainId, type Network } from "@farthing/protocol";
import { collectDefaultMetrics, Gauge, Registry } from "prom-client";
import {
  classifyNodeError,
  type GasHalf,
  type NetworkState,
  type RpcEndpoint,
  type Settlement,
  type DigestSigner,
  type Signer,
} from "@farthing/engine";
import type { Clock, Log } from "@farthing/engine/base";
import type { Failure } from "@farthing/engine/storage";
import { silentObserver, type HttpObserver } from "../http/server/observe.ts";
import { counter, fromZero, histogram, inUsdc, settings } from "./make-metric.ts";
import { createDatabaseWatch } from "./database-metrics.ts";
import { createLogWatch } from "./log-metrics.ts";
import { createStateMetrics, noStateMetrics, type StateMetrics } from "./state-metrics.ts";
import { addGauges, startAlarmsFromZero, type WatchedService } from "./network-metrics.ts";
import type { GasBudgetName } from "./gas-watch.ts";
import { spanOutcomes, type SpanOutcome } from "./traces.ts";
import { emailOutcomes, type EmailOutcome } from "../features/email/model.ts";
import type { CreditPurchase } from "../features/purchases/model.ts";
import type { ServiceStore } from "../features/open-store.ts";

export interface Metrics {
  readonly http: HttpObserver;
  /** What is sampled. */
  readonly state: StateMetrics;
  /** Counts warnings and errors. */
  watchLog(log: Log): Log;
  watchStore(store: ServiceStore): ServiceStore;
  watchEndpoint(network: Network, endpoint: RpcEndpoint): RpcEndpoint;
  watchSigner(signer: Signer): Signer;
  /** The key service that signs for channels. */
  watchChannelKey(key: DigestSigner): DigestSigner;
  /** Reads these whenever the metrics are requested. */
  watchNetworks(networks: readonly NetworkState[], costs: WatchedService): void;
  /** Records the used share of a half of a gas budget, 0 to 1. */
  noteGas(budget: GasBudgetName, network: Network, half: GasHalf, share: number): void;
  /** Records whether a check of /ready succeeds. */
  noteCheck(check: string, ok: boolean): void;
  noteEmail(outcome: EmailOutcome): void;
  noteSpans(outcome: SpanOutcome, count: number): void;
  /** Returns all metrics as text, and its content type. */
  render(): Promise<{ readonly contentType: string; readonly text: string }>;
}

/** For a service without a metrics port. */
export const noMetrics: Metrics = {
  http: silentObserver,
  state: noStateMetrics,
  watchLog: (log) => log,
  watchStore: (store) => store,
  watchEndpoint: (_, endpoint) => endpoint,
  watchSigner: (signer) => signer,
  watchChannelKey: (key) => key,
  watchNetworks: () => {},
  noteGas: () => {},
  noteCheck: () => {},
  noteEmail: () => {},
  noteSpans: () => {},
  render: async () => ({ contentType: "text/plain", text: "" }),
};

/** Creates the metrics; `relayers` are the wallets in the order of their indices. */
export function createMetrics(clock: Clock, relayers: readonly string[]): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const make = { registry, relayerIndex: indexOf(relayers) };
  const http = createHttpObserver(registry);
  const watchMoves = createStoreWatch(make);
  const watchDatabase = createDatabaseWatch(registry, clock);
  const watchEndpoint = createEndpointWatch(registry, clock);
  const gas = {
    keyless: new Gauge(settings(registry, "x402_keyless_gas_used_ratio")),
    reverted: new Gauge(settings(registry, "x402_reverted_gas_used_ratio")),
  };
  const ready = new Gauge(settings(registry, "x402_ready"));
  const emails = fromZero(counter(registry, "x402_emails_total"), emailOutcomes);
  const spans = fromZero(counter(registry, "x402_trace_spans_total"), spanOutcomes);
  return {
    http,
    state: createStateMetrics(registry),
    watchLog: createLogWatch(registry, make.relayerIndex),
    watchStore: (store) => watchMoves(watchDatabase(store)),
    watchEndpoint,
    watchSigner: createSignerWatch(make, clock),
    watchChannelKey: createChannelKeyWatch(registry, clock),
    watchNetworks(networks, costs) {
      addGauges(registry, clock, networks, costs);
      startAlarmsFromZero(registry, networks, relayers.length);
    },
    noteGas: (budget, { id }, half, share) => gas[budget].set({ network: id, half }, share),
    noteCheck: (check, ok) => ready.set({ check }, ok ? 1 : 0),
    noteEmail: (outcome) => emails.inc({ outcome }),
    noteSpans: (outcome, count) => spans.inc({ outcome }, count),
    render: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}

/** Returns a wallet's position in the configuration, because metrics name no addresses. */
function indexOf(relayers: readonly string[]) {
  const lower = relayers.map((address) => address.toLowerCase());
  return (address: string) => String(lower.indexOf(address.toLowerCase()));
}

function createHttpObserver(registry: Registry): HttpObserver {
  const verify = counter(registry, "x402_verify_requests_total");
  const settle = counter(registry, "x402_settle_requests_total");
  const duration = histogram(registry, "http_request_duration_seconds");
  return {
    evaluated: (question, { network, result, reason }) =>
      (question === "verify" ? verify : settle).inc({ network, result, reason }),
    responded: ({ route, method, status, seconds }) =>
      duration.observe({ route, method, status }, seconds),
  };
}

function createEndpointWatch(registry: Registry, clock: Clock): Metrics["watchEndpoint"] {
  const requests = counter(registry, "x402_rpc_requests_total");
  const duration = histogram(registry, "x402_rpc_request_seconds");
  return ({ id }, endpoint) => {
    const labels = { network: id, endpoint_index: String(endpoint.index) };
    return {
      ...endpoint,
      async send(calls) {
        const startedMs = clock.nowMs();
        const count = (outcomeOf: (index: number) => string) => {
          for (const [index, { method }] of calls.entries()) {
            requests.inc({ ...labels, method, outcome: outcomeOf(index) });
          }
        };
        try {
          const reply = await endpoint.send(calls);
          count((index) => {
            if (reply.kind === "refused") return reply.refusal;
            const answer = reply.answers[index];
            return answer && !answer.ok ? classifyNodeError(answer.error) : "ok";
          });
          return reply;
        } catch (error) {
          count(() => "no_answer");
          throw error;
        } finally {
          duration.observe(labels, (clock.nowMs() - startedMs) / 1000);
        }
      },
    };
  };
}

interface StoreMetricsDeps {
  readonly registry: Registry;
  relayerIndex(address: string): string;
}

function createSignerWatch(
  { registry, relayerIndex }: StoreMetricsDeps,
  clock: Clock,
): Metrics["watchSigner"] {
  const duration = histogram(registry, "x402_relayer_sign_seconds");
  return (signer) => {
    const wallet = { relayer_index: relayerIndex(signer.address) };
    // From zero, so that an alert sees the first failure as an increase.
    duration.zero({ ...wallet, outcome: "failed" });
    const observe: ObserveSignature = (outcome, seconds) =>
      duration.observe({ ...wallet, outcome }, seconds);
    return { ...signer, sign: timed(clock, observe, (transaction) => signer.sign(transaction)) };
  };
}

function createChannelKeyWatch(registry: Registry, clock: Clock): Metrics["watchChannelKey"] {
  const duration = histogram(registry, "x402_channel_sign_seconds");
  return (key) => {
    duration.zero({ outcome: "failed" });
    const observe: ObserveSignature = (outcome, seconds) => duration.observe({ outcome }, seconds);
    return { ...key, sign: timed(clock, observe, (digest) => key.sign(digest)) };
  };
}

type ObserveSignature = (outcome: "ok" | "failed", seconds: number) => void;

function timed<Input, Signed>(
  clock: Clock,
  observe: ObserveSignature,
  sign: (input: Input) => Promise<Signed>,
): (input: Input) => Promise<Signed> {
  return async (input) => {
    const startedMs = clock.nowMs();
    const seconds = () => (clock.nowMs() - startedMs) / 1000;
    try {
      const signed = await sign(input);
      observe("ok", seconds());
      return signed;
    } catch (error) {
      observe("failed", seconds());
      throw error;
    }
  };
}

/** The store's guarded updates, each of which returns a settlement to exactly one process. */
function createStoreWatch(deps: StoreMetricsDeps): Metrics["watchStore"] {
  const { registry, relayerIndex } = deps;
  const leases = counter(registry, "x402_lane_leases_total");
  const batches = histogram(registry, "x402_batch_settlements");
  const replacements = counter(registry, "x402_tx_replacements_total");
  const pauses = counter(registry, "x402_payer_pauses_total");
  const note = createMoveNotes(registry);
  const labels = (chainId: ChainId, lane: string) => ({
    network: networkOfChain(chainId).id,
    relayer_index: relayerIndex(lane),
  });
  return (store) => ({
    ...store,
    recordConfirmed: async (...args) => noted(await store.recordConfirmed(...args), note.confirmed),
    async recordFailed(...args) {
      const moved = noted(await store.recordFailed(...args), note.failed);
      for (const network of pausedOn(args[0], moved)) pauses.inc({ network });
      return moved;
    },
    recordFinalized: async (...args) => noted(await store.recordFinalized(...args), note.finalized),
    recordReorganised: async (...args) =>
      noted(await store.recordReorganised(...args), note.reconciled("reorganised")),
    requeueSettlements: async (...args) =>
      noted(await store.requeueSettlements(...args), note.reconciled("requeued")),
    async createPurchase(...args) {
      const isCreated = await store.createPurchase(...args);
      if (isCreated) note.purchase({ ...args[0], state: "awaiting_payment" });
      return isCreated;
    },
    async movePurchase(...args) {
      const moved = await store.movePurchase(...args);
      if (moved && moved.state !== args[1]) note.purchase(moved);
      return moved;
    },
    async reserveTransactions(...args) {
      const reserved = await store.reserveTransactions(...args);
      for (const { chainId, settlementIds } of reserved) {
        batches.observe({ network: networkOfChain(chainId).id }, settlementIds.length);
      }
      return reserved;
    },
    async replaceTransaction(...args) {
      const transaction = await store.replaceTransaction(...args);
      if (!transaction) return undefined;
      const kind = transaction.settlementIds.length > 0 ? "reprice" : "use_up";
      replacements.inc({ network: networkOfChain(transaction.chainId).id, kind });
      return transaction;
    },
    async takeWalletLease(...args) {
      const lease = await store.takeWalletLease(...args);
      if (lease) leases.inc({ ...labels(lease.chainId, lease.lane), event: "taken" });
      return lease;
    },
    async handOverWallet(...args) {
      const isTransferred = await store.handOverWallet(...args);
      const [{ chainId, lane }] = args;
      if (isTransferred) leases.inc({ ...labels(chainId, lane), event: "given" });
      return isTransferred;
    },
    async renewWalletLease(...args) {
      const isOurs = await store.renewWalletLease(...args);
      const [{ chainId, lane }] = args;
      if (!isOurs) leases.inc({ ...labels(chainId, lane), event: "lost" });
      return isOurs;
    },
  });
}

function noted(moved: Settlement[], note: (settlement: Settlement) => void): Settlement[] {
  for (const settlement of moved) note(settlement);
  return moved;
}

function networkOf({ chainId }: Pick<Settlement, "chainId">): string {
  return networkOfChain(chainId).id;
}

function createMoveNotes(registry: Registry) {
  const settled = counter(registry, "x402_settlements_total");
  const reconciled = counter(registry, "x402_settlements_reconciled_total");
  const usdc = counter(registry, "x402_settled_usdc_total");
  const debited = counter(registry, "x402_credits_debited_total");
  const purchases = counter(registry, "x402_credit_purchases_total");
  const settle = histogram(registry, "x402_settle_duration_seconds");
  const confirm = histogram(registry, "x402_tx_confirm_seconds");
  const finalize = histogram(registry, "x402_tx_finalize_seconds");
  function measure(
    histogramOf: typeof settle,
    settlement: Settlement,
    from: number | null,
    to: number | null,
  ) {
    if (from === null || to === null) return;
    histogramOf.observe({ network: networkOf(settlement) }, Math.max(0, to - from) / 1000);
  }

  const reconcile = (outcome: string) => (settlement: Settlement) =>
    reconciled.inc({ network: networkOf(settlement), outcome });

  return {
    confirmed(settlement: Settlement) {
      const { settledBy, createdAt, submittedAt, confirmedAt } = settlement;
      const network = networkOf(settlement);
      settled.inc({ network, state: "confirmed", settled_by: settledBy ?? "none", reason: "none" });
      const kind = settlement.refundOf === null ? "payment" : "refund";
      usdc.inc({ network, kind }, inUsdc(settlement.amount));
      if (settledBy === "other") reconcile("settled_by_other")(settlement);
      measure(settle, settlement, createdAt, confirmedAt);
      if (settledBy === "relayer") measure(confirm, settlement, submittedAt, confirmedAt);
    },
    failed(settlement: Settlement) {
      const { failure, createdAt, submittedAt, failedAt } = settlement;
      const network = networkOf(settlement);
      settled.inc({ network, state: "failed", settled_by: "none", reason: failure ?? "none" });
      if (submittedAt !== null) reconcile("failed_after_send")(settlement);
      measure(settle, settlement, createdAt, failedAt);
    },
    finalized(settlement: Settlement) {
      const { settledBy, submittedAt, finalizedAt, credits } = settlement;
      if (credits > 0) debited.inc({ network: networkOf(settlement) }, credits);
      if (settledBy === "relayer") measure(finalize, settlement, submittedAt, finalizedAt);
    },
    reconciled: reconcile,
    purchase: (purchase: Pick<CreditPurchase, "chainId" | "state">) =>
      purchases.inc({ network: networkOf(purchase), state: purchase.state }),
  };
}

/** Returns the network of each settlement whose failure paused its payer. */
function pausedOn(failures: readonly Failure[], moved: readonly Settlement[]): string[] {
  const ids = new Set(failures.flatMap(({ id, pausesPayer }) => (pausesPayer ? [id] : [])));
  return moved.flatMap(({ id, chainId }) => (ids.has(id) ? [networkOfChain(chainId).id] : []));
}
