/**
 * Whether a payment that would go through can be carried now: a wallet must be able to take work, the
 * queue must have room, and a contract payer must neither wait for its own reverts nor find the gas
 * used up that such wallets may burn. Asked by /verify, whose answer sellers serve by, and again by
 * /settle.
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
import type { VerifiedPayment } from "../verification/verify.ts";

/** Who asks, as far as the queue is fair between callers. */
export type AdmissionCaller = Pick<Claim, "owner" | "priority">;

/**
 * Returns the refusal of a payment whose payer waits. Throws the fault `no_wallet`, `queue_full` or
 * `reverted_gas_exhausted` when nothing can be carried, or nothing of contract wallets.
 */
export type Admit = (
  verified: VerifiedPayment,
  caller: AdmissionCaller,
) => Promise<Refusal | undefined>;

/** Payers asked for in one statement, and those that may wait for one. */
const payersMax = 200;
const payersWaitingMax = 10_000;
const batches = { itemsMax: payersMax, inFlightMax: 1, waitingMax: payersWaitingMax };

/** Creates the check. */
export function createAdmission(deps: {
  readonly clock: Clock;
  readonly store: Pick<EngineStore, "findPayerPauses" | "hasRevertedGas">;
  /** What contract wallets may burn; undefined for no bound. */
  revertedGasOf(chainId: ChainId): RevertedGasTerms | undefined;
  networkOf(chainId: ChainId): { readonly relayer: Relayer } | undefined;
}): Admit {
  const pauseOf = createBatcher<{ chainId: ChainId; payer: Address }, PayerPause | undefined>({
    run: async (asked) => {
      const byChain = Map.groupBy(asked, ({ chainId }) => chainId);
      const found = new Map<object, PayerPause | undefined>();
      for (const [chainId, group] of byChain) {
        const payers = group.map(({ payer }) => payer);
        const pauses = await deps.store.findPayerPauses(chainId, payers);
        for (const [index, one] of group.entries()) found.set(one, pauses[index]);
      }
      return asked.map((one) => found.get(one));
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
    const relayer = deps.networkOf(chainId)?.relayer;
    if (!relayer?.isAble()) {
      throw new Fault("no_wallet", "No relayer wallet can take work; try again shortly");
    }
    if (!relayer.hasRoom({ payer, payTo, owner, priority, payerHasCode })) throw queueFull();
    if (!payerHasCode) return undefined;
    const pause = await pauseOf({ chainId, payer });
    if (pause && pause.pausedUntilMs > deps.clock.nowMs()) {
      const until = timeText(pause.pausedUntilMs);
      return refusal(
        "payer_paused",
        `Transactions of the contract wallet ${payer} reverted although their simulation passed; nothing is settled for it until ${until}. Pay from another address, or try again then.`,
      );
    }
    const terms = deps.revertedGasOf(chainId);
    if (terms && !(await hasRevertedGas({ chainId, payer, terms }))) {
      throw revertedGasExhausted(deps.clock);
    }
    return undefined;
  };
}

/** Faults that say why nothing can be carried now; where they are thrown nothing was claimed. */
const admissionFaults: ReadonlySet<FaultCode> = new Set([
  "no_wallet",
  "queue_full",
  "reverted_gas_exhausted",
]);

/** Whether a payment was not admitted, so that the same one may be shown again. */
export function isNotAdmitted(error: unknown): error is Fault {
  return error instanceof Fault && admissionFaults.has(error.code);
}

/** Contract wallets have burned or reserved all that they may burn by reverting. */
export function revertedGasExhausted(clock: Clock): Fault {
  return new Fault(
    "reverted_gas_exhausted",
    "Contract wallets have used up the gas that their transactions may burn per day by reverting; nothing was judged and nothing moved. It refills every hour; plain addresses are not affected.",
    { retryAfterSeconds: secondsToRefill(clock.nowMs()) },
  );
}

/** The places for callers of this kind are taken. */
export function queueFull(): Fault {
  return new Fault("queue_full", "Too many settlements are waiting; try again shortly");
}
