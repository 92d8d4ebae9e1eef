/**
 * Queued settlements that would fail now. Together, since what waits while the token's state changes
 * is refused together.
 */
import { createBatcher } from "../base/batcher.ts";
import type { Settlement } from "../model/settlement.ts";
import type { FailedSimulation } from "../relayer/prepare.ts";
import type { Failure } from "../storage/engine-store.ts";
import type { Evidence, Findings, Found } from "./chain-proofs.ts";
import { logsLag } from "./resolve-mined.ts";

/** Settlements that are looked up together, and those that may wait for it. */
const togetherMax = 200;
const waitingMax = 10_000;

/** Creates what ends them; it throws when the chain cannot tell. */
export function createEndRefused(deps: {
  readonly evidence: Pick<Evidence, "lookUp">;
  headNumber(): number;
  conclude(found: readonly Found[]): Promise<void>;
  fail(failures: readonly Failure[], settlements: readonly Settlement[]): Promise<void>;
}) {
  const findingsOf = createBatcher<{ settlement: Settlement; atBlock: number }, Findings>({
    async run(asked) {
      const settlements = asked.map(({ settlement }) => settlement);
      const atBlock = Math.max(...asked.map((one) => one.atBlock));
      const { found, unused, untold } = await deps.evidence.lookUp(settlements, atBlock);
      return settlements.map(({ id }) => ({
        found: found.filter(({ settlement }) => settlement.id === id),
        unused: unused.filter((settlement) => settlement.id === id),
        untold: untold.filter((settlement) => settlement.id === id),
      }));
    },
    itemsMax: togetherMax,
    inFlightMax: 1,
    waitingMax,
  });

  return async (
    settlement: Settlement,
    { refusal: why, atBlock }: FailedSimulation,
  ): Promise<void> => {
    // "Used" may well be our payer's payment, submitted by somebody else: look before saying no.
    const asked = { settlement, atBlock: Math.max(deps.headNumber(), atBlock) };
    const { found, unused, untold } = await findingsOf(asked);
    await deps.conclude(found);
    if (untold.length > 0) throw logsLag();
    const { code, message } = why;
    const failures = unused.map(({ id }) => ({ id, code, message, ...unassigned }));
    await deps.fail(failures, unused);
  };
}

const unassigned = { transaction: null, onlyUnassigned: true };
