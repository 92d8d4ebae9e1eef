/**
 * Resolves settlements of final relayer transactions whose logs were not seen: the service was down,
 * a call of a batch failed, or the transaction reverted.
 */
import { refusal } from "@farthing/protocol";
import { timeText } from "../base/clock.ts";
import { Fault } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import { isLimitedBatch } from "../chain/contracts/batch-contract.ts";
import type { Chain } from "../chain/endpoints/chain.ts";
import type { TokenPause } from "../chain/payments/token-pause.ts";
import { payerNonceKey, type Settlement } from "../model/settlement.ts";
import type { FailedSimulation } from "../relayer/prepare.ts";
import type { MinedTransaction } from "../relayer/used-nonces.ts";
import type { Failure, EngineStore } from "../storage/engine-store.ts";
import { authorizationOf, type ProofDeps } from "./chain-proofs.ts";

interface ResolveMinedDeps extends ProofDeps {
  readonly chain: Chain;
  readonly store: Pick<EngineStore, "findSettlement" | "findPayerPauses">;
  readonly log: Log;
  readonly tokenPause: Pick<TokenPause, "wasPausedAt">;
  simulate(settlement: Settlement): Promise<FailedSimulation | undefined>;
}

/** The returned function resolves them and returns the ids of those to settle again. */
export function createResolveMined(deps: ResolveMinedDeps) {
  const { store, log } = deps;
  const { chainId } = deps.chain.network;

  async function resolveUnmoved(settlements: readonly Settlement[], mined: MinedTransaction) {
    const simulated = await Promise.all(
      settlements.map(async (one) => [one.id, await deps.simulate(one)] as const),
    );
    const results = new Map(simulated);
    const blocks = simulated.map(([, result]) => result?.atBlock ?? 0);
    const atBlock = Math.max(mined.blockNumber, deps.headNumber(), ...blocks);
    const { found, unused, unexplained } = await deps.proofs.find(settlements, atBlock);
    await deps.conclude(found);
    // Without a cause now, it was another settlement of the batch or a pause of the token that has ended.
    const causeOf = ({ id }: Settlement) => results.get(id)?.refusal.code;
    const isAnotherCause =
      isWholeBatch(mined) ||
      sharesGas(mined) ||
      (unused.some((one) => causeOf(one) === undefined) &&
        (await deps.tokenPause.wasPausedAt(mined.blockNumber, atBlock)));
    // The transaction is final, so settling again is safe.
    const isSettledAgain = (one: Settlement) =>
      causeOf(one) === "token_paused" || (isAnotherCause && causeOf(one) === undefined);
    const failed = unused.filter((settlement) => !isSettledAgain(settlement));
    const failures = failed.map((one) => failureOfMined(one, mined, results.get(one.id)));
    await deps.fail(failures, failed);
    for (const [index, settlement] of failed.entries()) {
      if (failures[index]?.pausesPayer) await logPause(settlement, mined);
    }
    if (unexplained.length > 0) throw logsMissing();
    return unused.filter(isSettledAgain).map(({ id }) => id);
  }

  async function logPause({ id, payer }: Settlement, { hash }: MinedTransaction): Promise<void> {
    const [pause] = await store.findPayerPauses(chainId, [payer]);
    const until = pause && timeText(pause.pausedUntilMs);
    const fields = { chainId, payer, settlementId: id, transaction: hash };
    log.warn({ event: "payer_paused", ...fields, reverts: pause?.reverts, until }, "Payer paused");
  }

  return async (mined: MinedTransaction): Promise<readonly string[]> => {
    const stored = await Promise.all(mined.unresolved.map((id) => store.findSettlement(id)));
    const carried = stored.flatMap((one) => (one && isCarriedBy(one, mined) ? [one] : []));
    const events = new Map(mined.events.map((event) => [payerNonceKey(event), event]));
    const proofs = carried.flatMap((settlement) => {
      const event = events.get(payerNonceKey(settlement));
      return event ? [{ event, settlement }] : [];
    });
    await deps.conclude(proofs);
    const unmoved = carried.filter((settlement) => !events.has(payerNonceKey(settlement)));
    const again = unmoved.length > 0 ? await resolveUnmoved(unmoved, mined) : [];
    if (isWholeBatch(mined)) {
      const counts = { settlements: mined.unresolved.length, queuedAgain: again.length };
      const fields = { event: "batch_reverted", chainId, transaction: mined.hash, ...counts };
      log.warn(fields, "Batch reverted");
    }
    return again;
  };
}

/** The outcome is unknown while a used authorization has no log; unknown is never failed. */
export function logsMissing(): Fault {
  return new Fault("rpc_unavailable", "The node calls an authorization used and has no log of it");
}

/** Whether a settlement still belongs to the nonce of a mined transaction, or to none. */
function isCarriedBy({ state, transaction }: Settlement, mined: MinedTransaction): boolean {
  return state === "submitted" && (transaction === null || mined.hashes.includes(transaction));
}

/** Whether a transaction of several settlements reverted as a whole. */
function isWholeBatch({ succeeded, transaction }: MinedTransaction): boolean {
  return !succeeded && transaction.settlementIds.length > 1;
}

/** Whether a call could burn the gas of the calls behind it: Multicall3 gives none a limit of its own. */
function sharesGas({ transaction: { settlementIds, data } }: MinedTransaction): boolean {
  return settlementIds.length > 1 && !isLimitedBatch(data);
}

/** The failure of a settlement whose final transaction moved nothing; `found` is a new simulation. */
function failureOfMined(
  settlement: Settlement,
  { hash: transaction, succeeded, transaction: carrier }: MinedTransaction,
  found: FailedSimulation | undefined,
): Failure {
  const { id } = settlement;
  // A batch succeeds as a transaction although some of its calls fail, also one of a single payment.
  const isBatch = carrier.settlementIds.length > 1 || isLimitedBatch(carrier.data);
  const isAloneAndSucceeded = succeeded && !isBatch;
  const { code, message } = isAloneAndSucceeded
    ? refusal("transfer_not_found")
    : (found?.refusal ?? refusal("transaction_reverted"));
  // The simulation passed just before the send, so the contract wallet's own code made it revert: the
  // transaction, or its own call in a batch. One that passes again is settled again where calls share
  // their gas, so it comes here only where each has its own.
  const isReverted = !succeeded || isBatch;
  // A plain account can have code for one block (EIP-7702): it has some now, or nothing else explains
  // the revert.
  const hasOwnCode = settlement.payerHasCode || found === undefined || found.payerHasCode === true;
  // A payer's code does not cause a block of the payee.
  const pausesPayer = hasOwnCode && isReverted && code !== "payee_blocked";
  return {
    id,
    code,
    message,
    transaction,
    pausesPayer,
    authorization: authorizationOf(settlement),
  };
}
