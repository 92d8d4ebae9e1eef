/**
 * Decides whether a valid payment can be sent now: a wallet can take work, the queue has room, and a
 * payer is neither paused for reverts nor, as a contract wallet, out of the gas that those may burn.
 * Both /verify, on whose response sellers serve, and /settle check it.
 */
import { refusal, type Address, type ChainId, type Refusal } from "@farthing/protocol";
import { createBatcher } from "../base/batcher.ts";
import { timeText, type Clock } from "../base/clock.ts";
import { Fault, type FaultCode } from "../base/fault.ts";
import { secondsToRefill } from "../model/keyless.ts";
import type { PayerPause } from "../model/payer-pause.ts";
import type { RevertedGasTerms } from "../model/reverted-gas.ts";
import type { Relayer } from "../relayer/relayer.ts";
import type { Claim } from "../model/settlement.ts";
import type { RevertedGasQuestion } from "../storage/reverted-gas.ts";
import type { EngineStore } from "../storage/engine-store.ts";
import type { LostTransfers } from "./lost-transfers.ts";
import type { VerifiedPayment } from "../verification/verify.ts";

/** The caller, for the fairness of the queue. */
export type AdmissionCaller = Pick<Claim, "owner" | "priority">;

/** Returns the refusal of a paused payer. Throws the faults of {@link isNotAdmitted}. */
export type Admit = (
  verified: VerifiedPayment,
  caller: AdmissionCaller,
) => Promise<Refusal | undefined>;

/** Payers of one statement, and those that may wait for one. */
const batches = { itemsMax: 200, inFlightMax: 1, waitingMax: 10_000 };

export function createAdmission(deps: {
  readonly clock: Clock;
  readonly store: Pick<EngineStore, "findPayerPauses" | "hasRevertedGas">;
  /** The gas that contract wallets may burn; undefined without a bound. */
  revertedGasOf(chainId: ChainId): RevertedGasTerms | undefined;
  networkOf(
    chainId: ChainId,
  ):
    | { readonly relayer: Relayer; readonly lost: Pick<LostTransfers, "refuseWhileBehind"> }
    | undefined;
}): Admit {
  const pauseOf = createBatcher<{ chainId: ChainId; payer: Address }, PayerPause | undefined>({
    run: async (queries) => {
      const byChain = Map.groupBy(queries, ({ chainId }) => chainId);
      const found = new Map<object, PayerPause | undefined>();
      for (const [chainId, group] of byChain) {
        const payers = group.map(({ payer }) => payer);
        const pauses = await deps.store.findPayerPauses(chainId, payers);
        for (const [index, one] of group.entries()) found.set(one, pauses[index]);
      }
      return queries.map((one) => found.get(one));
    },
    ...batches,
  });
  const hasRevertedGas = createBatcher<RevertedGasQuestion, boolean>({
    run: (questions) => deps.store.hasRevertedGas(questions, deps.clock.nowMs()),
    ...batches,
  });

  return async ({ payment, payerHasCode }, { owner, priority }) => {
    const { network, authorization } = payment;
    const { chainId } = network;
    const { from: payer, to: payTo } = authorization;
    const at = deps.networkOf(chainId);
    await at?.lost.refuseWhileBehind();
    const relayer = at?.relayer;
    // First: wallets may be stuck because of the price, which is then the reason to name.
    if (relayer?.gasPriceProblem() !== undefined) throw gasPriceTooHigh();
    if (!relayer?.isAble()) {
      throw new Fault("no_wallet", "No relayer wallet can take work; try again shortly");
    }
    if (!relayer.hasRoom({ payer, payTo, owner, priority, payerHasCode })) throw queueFull();
    // Also of plain payers: an account can have code for one block alone (EIP-7702).
    const pause = await pauseOf({ chainId, payer });
    if (pause && pause.pausedUntilMs > deps.clock.nowMs()) {
      const until = timeText(pause.pausedUntilMs);
      return refusal(
        "payer_paused",
        `Transactions of the payer ${payer} reverted although their simulation passed; nothing is settled for it until ${until}. Pay from another address, or try again then.`,
      );
    }
    if (!payerHasCode) return undefined;
    const terms = deps.revertedGasOf(chainId);
    if (terms && !(await hasRevertedGas({ chainId, payer, terms }))) {
      throw revertedGasExhausted(deps.clock);
    }
    return undefined;
  };
}

/** Faults of a payment that was not claimed. */
const admissionFaults: ReadonlySet<FaultCode> = new Set([
  "storage_behind",
  "no_wallet",
  "gas_price_too_high",
  "queue_full",
  "reverted_gas_exhausted",
  "screening_unavailable",
]);

/** Whether a payment was not admitted, so that the caller may repeat it. */
export function isNotAdmitted(error: unknown): error is Fault {
  return error instanceof Fault && admissionFaults.has(error.code);
}

export function revertedGasExhausted(clock: Clock): Fault {
  return new Fault(
    "reverted_gas_exhausted",
    "Contract wallets, and accounts that delegate their code (EIP-7702), have used up the gas that their transactions may burn per day by reverting; nothing was judged and nothing moved. It refills every hour; plain addresses are not affected.",
    { retryAfterSeconds: secondsToRefill(clock.nowMs()) },
  );
}

/** The price changes with a release or a vote of the chain, not within seconds. */
const gasPriceRetrySeconds = 60;

function gasPriceTooHigh(): Fault {
  return new Fault(
    "gas_price_too_high",
    "The chain's gas price is above what this service pays; nothing was claimed and nothing moved. Try again later with the same payment while it is valid.",
    { retryAfterSeconds: gasPriceRetrySeconds },
  );
}

export function queueFull(): Fault {
  return new Fault("queue_full", "Too many settlements are waiting; try again shortly");
}
