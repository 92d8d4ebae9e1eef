/**
 * Transactions of ours that are mined for good while logs of some of their settlements were not
 * seen: the service was down, a call of a batch failed, or the transaction reverted.
 */
import { timeText } from "../base/clock.ts";
import { Fault } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import type { Chain } from "../chain/chain.ts";
import { payerNonceKey, type Settlement } from "../model/settlement.ts";
import type { FailedSimulation } from "../relayer/prepare.ts";
import type { MinedTransaction } from "../relayer/used-nonces.ts";
import type { Failure, EngineStore } from "../storage/engine-store.ts";
import {
  failureOfMined,
  isCarriedBy,
  isWholeBatch,
  type Evidence,
  type Found,
} from "./chain-proofs.ts";

/** What ending them needs. */
export interface MinedWithoutLogDeps {
  readonly chain: Chain;
  readonly store: Pick<EngineStore, "findSettlement" | "findPayerPauses">;
  readonly log: Log;
  readonly evidence: Pick<Evidence, "lookUp">;
  /** Would the transfer go through now? The reason when it would not. */
  simulate(settlement: Settlement): Promise<FailedSimulation | undefined>;
  headNumber(): number;
  conclude(found: readonly Found[]): Promise<void>;
  fail(failures: readonly Failure[], settlements: readonly Settlement[]): Promise<void>;
}

/** Creates what ends them. Returns the ids of those that are to be settled again. */
export function createMinedWithoutLog(deps: MinedWithoutLogDeps) {
  const { store, log, evidence } = deps;
  const { chainId } = deps.chain.network;

  async function end(mined: MinedTransaction): Promise<readonly string[]> {
    const stored = await Promise.all(mined.unresolved.map((id) => store.findSettlement(id)));
    // One that another nonce carries by now is not this transaction's to judge.
    const carried = stored
      .filter((one) => one !== undefined)
      .filter((one) => isCarriedBy(one, mined));
    const own = new Map(
      mined.events.map((event) => [payerNonceKey(event.payer, event.nonce), event]),
    );
    const eventOf = ({ payer, nonce }: Settlement) => own.get(payerNonceKey(payer, nonce));
    await deps.conclude(
      carried.flatMap((settlement) => {
        const event = eventOf(settlement);
        return event ? [{ event, settlement }] : [];
      }),
    );
    const unmoved = carried.filter((settlement) => !eventOf(settlement));
    const again = unmoved.length > 0 ? await endUnmoved(unmoved, mined) : [];
    if (isWholeBatch(mined)) {
      const counts = { settlements: mined.unresolved.length, queuedAgain: again.length };
      const fields = { event: "batch_reverted", chainId, transaction: mined.hash, ...counts };
      log.warn(fields, "Batch reverted");
    }
    return again;
  }

  async function endUnmoved(
    settlements: readonly Settlement[],
    mined: MinedTransaction,
  ): Promise<readonly string[]> {
    // What the token says to the same transfers now, if it says no.
    const judged = await Promise.all(
      settlements.map(async (one) => [one.id, await deps.simulate(one)] as const),
    );
    const judgements = new Map(judged);
    const blocks = judged.map(([, failure]) => failure?.atBlock ?? 0);
    const atBlock = Math.max(mined.blockNumber, deps.headNumber(), ...blocks);
    const { found, unused, untold } = await evidence.lookUp(settlements, atBlock);
    await deps.conclude(found);
    // Others in the same transaction may be to blame. It is final, so it moves nothing any more.
    const isAgain = ({ id }: Settlement) => isWholeBatch(mined) && !judgements.get(id);
    const ended = unused.filter((settlement) => !isAgain(settlement));
    const failures = ended.map((one) =>
      failureOfMined(one, mined, judgements.get(one.id)?.refusal),
    );
    await deps.fail(failures, ended);
    const blamed = ended.filter((_, index) => failures[index]?.pausesPayer);
    for (const settlement of blamed) await logPause(settlement, mined);
    if (untold.length > 0) throw logsLag();
    return unused.filter(isAgain).map(({ id }) => id);
  }

  async function logPause({ id, payer }: Settlement, { hash }: MinedTransaction): Promise<void> {
    const [pause] = await store.findPayerPauses(chainId, [payer]);
    const until = pause && timeText(pause.pausedUntilMs);
    const fields = { chainId, payer, settlementId: id, transaction: hash };
    log.warn({ event: "payer_paused", ...fields, reverts: pause?.reverts, until }, "Payer paused");
  }

  return end;
}

/** An authorization is used and no log tells how: unknown, and unknown is never called failed. */
export function logsLag(): Fault {
  return new Fault("rpc_unavailable", "The node calls an authorization used and has no log of it");
}
