/** The steps from a payment to its settlement, wired over the store and the networks. */
import type { ChainId } from "@farthing/protocol";
import type { Tracer } from "@opentelemetry/api";
import { createBatcher } from "./base/batcher.ts";
import { warning, type Runtime } from "./base/log.ts";
import type { Secret } from "./base/secret.ts";
import type { RevertedGasTerms } from "./model/reverted-gas.ts";
import type { Claim, AuthorizationKey, Settlement } from "./model/settlement.ts";
import type { NetworkEngine } from "./network-engine.ts";
import type { SettlementTraces } from "./relayer/settlement-traces.ts";
import { createAdmission } from "./settlement/admission.ts";
import type { RepeatPolicy } from "./settlement/exchange-calls.ts";
import { createSettlementIds } from "./settlement/settlement-ids.ts";
import { createFindTold, createRefuseWhileBehind } from "./settlement/told-settlement.ts";
import { createFindLost } from "./settlement/lost-settlement.ts";
import { createExchanges } from "./settlement/exchanges.ts";
import { createRefuseIdentifier } from "./settlement/payment-identifier.ts";
import { createRefund } from "./settlement/refund.ts";
import { createSettle } from "./settlement/settle.ts";
import { traceClaim, traceSettle, traceVerifier } from "./settlement/trace-steps.ts";
import type { Waiters } from "./settlement/waiters.ts";
import type { ClaimResult } from "./storage/engine-store.ts";
import type { EngineStores } from "./storage/open-storage.ts";
import { createRefuseUsed } from "./verification/earlier-use.ts";
import { createVerifier, type Screen } from "./verification/verify.ts";

/** Requests of one statement, and those that may wait for one. */
const batches = { itemsMax: 200, inFlightMax: 1, waitingMax: 10_000 };

/**
 * The first step of /settle takes callers together under load, and those stay together: in the chain
 * read, the claim, the transaction and the commits of each. It delays them by at most a fiftieth of
 * the 2 s block period.
 */
const settlePaceMs = 40;

export type PaymentSteps = ReturnType<typeof createPaymentSteps>;

interface StepDeps extends Runtime {
  readonly store: EngineStores;
  readonly waiters: Waiters;
  readonly tracer: Tracer;
  readonly traces: SettlementTraces;
  readonly repeatAfterSuccess: RepeatPolicy;
  /** Undefined for random ids. */
  readonly idSecret: Secret | undefined;
  readonly screen?: Screen | undefined;
  networkOf(chainId: ChainId): NetworkEngine | undefined;
  networks(): Iterable<NetworkEngine>;
  revertedGasOf(chainId: ChainId): RevertedGasTerms | undefined;
}

/** Creates the steps; nothing is read before the first payment. */
export function createPaymentSteps(deps: StepDeps) {
  const { store, clock, log, tracer, networkOf } = deps;
  const findByKey = createBatcher<AuthorizationKey, Settlement | undefined>({
    run: (keys) => store.findSettlementsByKey(keys),
    ...batches,
    paceMs: settlePaceMs,
  });
  const claim = createBatcher<Claim, ClaimResult>({
    run: (claims) => store.claimSettlements(claims, clock.nowMs()),
    ...batches,
  });
  const notifyPeers = createBatcher<string, undefined>({
    async run(ids) {
      await store.notify("unserved", ids);
      return ids.map(() => undefined);
    },
    ...batches,
  });
  const refuseUsed = createRefuseUsed({ clock, networkOf });
  const refuseWhileBehind = createRefuseWhileBehind(deps);
  const findTold = createFindTold({ store, networkOf, refuseWhileBehind });
  const findLost = createFindLost({ networkOf });
  const refuseIdentifier = createRefuseIdentifier({ store, clock });
  const admit = createAdmission(deps);
  const exchanges = createExchanges({ store, clock, log, policy: deps.repeatAfterSuccess });
  const verifier = traceVerifier(
    tracer,
    createVerifier({
      clock,
      findByKey,
      openExchange: exchanges.open,
      refuseUsed,
      chainOf: networkOf,
      screen: deps.screen,
    }),
  );
  const settle = traceSettle(
    tracer,
    createSettle({
      ...deps,
      verifier,
      claim: traceClaim(tracer, deps.traces, claim),
      findByKey,
      findSettlement: findTold,
      admit,
      refuseIdentifier,
      refuseUsed,
      findLost,
      bindClaim: (bound) => store.bindClaim(bound, clock.nowMs()),
      newId: createSettlementIds(deps.idSecret),
      publishUnassigned: ({ id: settlementId }) => {
        // Peers that miss the notification find the claim when they poll.
        const fields = { event: "claim_not_published", settlementId };
        notifyPeers(settlementId).catch(warning(log, fields, "Claim not published to peers"));
      },
    }),
  );
  const refund = createRefund({ store: { ...store, findSettlement: findTold }, settle });
  const told = { findTold, refuseWhileBehind };
  return { verifier, refuseIdentifier, admit, exchanges, ...told, settle, refund };
}
