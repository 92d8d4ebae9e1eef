/** Resolves queued settlements that would fail now, in groups: a change of the token refuses many. */
import { createBatcher } from "../base/batcher.ts";
import type { Settlement } from "../model/settlement.ts";
import type { FailedSimulation } from "../relayer/prepare.ts";
import { authorizationOf, type ProofDeps, type ProofSearch } from "./chain-proofs.ts";
import { logsMissing } from "./resolve-mined.ts";

/** Settlements of one search, and those that may wait for it. */
const itemsMax = 200;
const waitingMax = 10_000;

/** The returned function throws when the chain's state cannot be read. */
export function createResolveRefused(deps: ProofDeps) {
  const search = createBatcher<{ settlement: Settlement; atBlock: number }, ProofSearch>({
    async run(queries) {
      const settlements = queries.map(({ settlement }) => settlement);
      const atBlock = Math.max(...queries.map((query) => query.atBlock));
      const { found, unused, unexplained } = await deps.proofs.find(settlements, atBlock);
      return settlements.map(({ id }) => ({
        found: found.filter(({ settlement }) => settlement.id === id),
        unused: unused.filter((settlement) => settlement.id === id),
        unexplained: unexplained.filter((settlement) => settlement.id === id),
      }));
    },
    itemsMax,
    inFlightMax: 1,
    waitingMax,
  });

  return async (settlement: Settlement, failure: FailedSimulation): Promise<void> => {
    const { refusal, atBlock } = failure;
    // The code of a plain account may have burnt a batch before, and refuses now to end unseen.
    const pausesPayer = failure.payerHasCode === true && !settlement.payerHasCode;
    // "Nonce used" may be this very payment, submitted by a third party.
    const query = { settlement, atBlock: Math.max(deps.headNumber(), atBlock) };
    const { found, unused, unexplained } = await search(query);
    await deps.conclude(found);
    if (unexplained.length > 0) throw logsMissing();
    const { code, message } = refusal;
    const unassigned = { transaction: null, onlyUnassigned: true, pausesPayer };
    const failures = unused.map((one) => {
      return { id: one.id, code, message, ...unassigned, authorization: authorizationOf(one) };
    });
    await deps.fail(failures, unused);
  };
}
