/** The budgets of gas and the limits of callers without a key, wired for the routes and for claims. */
import type { ChainId } from "@farthing/protocol";
import {
  type ChainView,
  contractTransferGasMax,
  gasPriceOf,
  type RevertedGasTerms,
  gasPriceFloorWei,
} from "@farthing/engine";
import { type Clock, createBatcher } from "@farthing/engine/base";
import type { Config } from "./config/config.ts";
import type { PaymentContext } from "./payments/context.ts";
import type { KeylessQuestion, KeylessVerdict, KeylessStore } from "./payments/keyless/store.ts";

/**
 * Gas that a plain payer's settlement is charged with, the most that was measured: 103,580 alone to a
 * payee that receives USDC for the first time; 86,000 to others, 45,000 to 74,000 in a batch.
 * Strangers choose their payees, so less would let them spend more than the budget.
 */
const plainGas = 104_000n;

/**
 * A contract payer's is charged with the most that it may burn, and corrected to the limit of its
 * transaction once that one has ended.
 */
const contractGas = contractTransferGasMax;

const weiPerGwei = 1_000_000_000n;

/** Questions of one statement, and questions that may wait for one. */
const questionsMax = 200;
const questionsWaitingMax = 10_000;

/** Creates what the routes and claims ask. */
export function wireKeyless(deps: {
  readonly config: Pick<Config, "gasPriceMaxWei" | "revertedGasGwei">;
  readonly store: Pick<KeylessStore, "checkKeyless" | "noteKeyless">;
  readonly clock: Clock;
  viewOf(chainId: ChainId): ChainView | undefined;
}): Pick<PaymentContext, "gasOf" | "checkKeyless" | "noteKeyless"> & {
  /** What contract wallets may burn by reverting; undefined for no bound. */
  revertedGasOf(chainId: ChainId): RevertedGasTerms | undefined;
} {
  const { config, store, clock, viewOf } = deps;
  const bounds = { floor: gasPriceFloorWei, ceiling: config.gasPriceMaxWei };
  const terms = { itemsMax: questionsMax, inFlightMax: 1, waitingMax: questionsWaitingMax };
  const gasOf = (chainId: ChainId) => {
    const price = gasPriceOf(viewOf(chainId), bounds);
    const gweiOf = (gas: bigint) => Number((gas * price) / weiPerGwei);
    return { plainGwei: gweiOf(plainGas), contractGwei: gweiOf(contractGas) };
  };
  const { revertedGasGwei: budgetGwei } = config;
  return {
    gasOf,
    revertedGasOf(chainId) {
      if (budgetGwei === null) return undefined;
      return { budgetGwei, reserveGwei: gasOf(chainId).contractGwei };
    },
    checkKeyless: createBatcher<KeylessQuestion, KeylessVerdict>({
      run: (questions) => store.checkKeyless(questions, clock.nowMs()),
      ...terms,
    }),
    noteKeyless: createBatcher<KeylessQuestion, undefined>({
      async run(questions) {
        await store.noteKeyless(questions, clock.nowMs());
        return questions.map(() => undefined);
      },
      ...terms,
    }),
  };
}
