/** What becomes of payments that a final transaction, or a simulation, shows not to have moved. */
import { networkOfChain, refusal, type RefusalCode } from "@farthing/protocol";
import { expect, test } from "vitest";
import { silentLog } from "../base/log.ts";
import { encodeLimitedBatch } from "../chain/contracts/batch-contract.ts";
import { createChain } from "../chain/endpoints/chain.ts";
import type { Settlement } from "../model/settlement.ts";
import { queuedSettlement } from "../model/settlement.testing.ts";
import { signedTransaction } from "../relayer/relayer-transaction.testing.ts";
import type { MinedTransaction } from "../relayer/used-nonces.ts";
import type { Failure } from "../storage/engine-store.ts";
import { createResolveMined } from "./resolve-mined.ts";
import { createResolveRefused } from "./resolve-refused.ts";

const one = signedTransaction(1);
const carrier = one.hash ?? "0x";

const submitted = (changes: Partial<Settlement> = {}) =>
  queuedSettlement({ state: "submitted", transaction: carrier, ...changes });

interface Situation {
  /** Why the payment would fail now; it would succeed without. */
  readonly cause?: RefusalCode;
  /** The payer has code now. */
  readonly hasCode?: boolean;
  /** Its authorization is used, and no log shows by what. */
  readonly isUnexplained?: boolean;
}

function observed({ cause, hasCode = false, isUnexplained = false }: Situation) {
  const failures: Failure[] = [];
  const failure = cause && { refusal: refusal(cause), atBlock: 9, payerHasCode: hasCode };
  const proofs = {
    headNumber: () => 9,
    proofs: {
      find: async (settlements: readonly Settlement[]) =>
        isUnexplained
          ? { found: [], unused: [], unexplained: settlements }
          : { found: [], unused: settlements, unexplained: [] },
    },
    conclude: async () => undefined,
    fail: async (failed: readonly Failure[]) => void failures.push(...failed),
  };
  return { failures, failure, proofs };
}

/** Resolves a payment of a transaction that is final and has no log of it. */
async function resolve(
  settlement: Settlement,
  mined: Partial<MinedTransaction>,
  situation: Situation = {},
) {
  const { failures, failure, proofs } = observed(situation);
  const resolveMined = createResolveMined({
    ...proofs,
    chain: createChain({ network: networkOfChain(51), endpoints: [], log: silentLog }),
    log: silentLog,
    store: { findSettlement: async () => settlement, findPayerPauses: async () => [undefined] },
    tokenPause: { wasPausedAt: async () => false },
    simulate: async () => failure,
  });
  const again = await resolveMined({
    transaction: one,
    hash: carrier,
    hashes: [carrier],
    unresolved: [settlement.id],
    succeeded: false,
    blockNumber: 8,
    events: [],
    ...mined,
  });
  return { again, failed: failures.map(({ code, pausesPayer }) => [code, pausesPayer]) };
}

const shared = { transaction: { ...one, settlementIds: ["stl_1", "stl_2"] } };
const data = encodeLimitedBatch([{ to: one.to, gasLimit: 1n, data: "0x" }]);
const limited = { transaction: { ...shared.transaction, data }, succeeded: true };

test.each([
  // Alone: its own transaction reverted, and nothing else was in it.
  ["a plain payment, unfunded", {}, {}, "insufficient_funds", [], ["insufficient_funds", false]],
  ["a plain payment, unexplained", {}, {}, undefined, [], ["transaction_reverted", true]],
  ["a contract's", { payerHasCode: true }, {}, undefined, [], ["transaction_reverted", true]],
  [
    "one to a blocked payee",
    { payerHasCode: true },
    {},
    "payee_blocked",
    [],
    ["payee_blocked", false],
  ],
  ["the token is paused", {}, {}, "token_paused", ["stl_1"], undefined],
  // With others, which may have been the cause where calls share their gas.
  ["one of a batch that reverted", {}, shared, undefined, ["stl_1"], undefined],
  ["a call of a batch", {}, { ...shared, succeeded: true }, undefined, ["stl_1"], undefined],
  ["a call with its own gas", {}, limited, undefined, [], ["transaction_reverted", true]],
] as const)("%s", async (_name, changes, mined, cause, again, failed) => {
  const found = await resolve(submitted(changes), mined, cause && { cause });
  expect(found).toEqual({ again, failed: failed ? [failed] : [] });
});

test("a plain account that has got code is paused when its transaction reverts", async () => {
  const found = await resolve(submitted(), {}, { cause: "insufficient_funds", hasCode: true });
  expect(found.failed).toEqual([["insufficient_funds", true]]);
});

test.each([
  ["another transaction carries it now", submitted({ transaction: `0x${"22".repeat(32)}` })],
  ["it is queued again", queuedSettlement()],
])("nothing is decided where %s", async (_name, settlement) => {
  expect(await resolve(settlement, {}, { cause: "insufficient_funds" })).toEqual({
    again: [],
    failed: [],
  });
});

test("a payment whose transaction is not signed yet belongs to the nonce", async () => {
  const settlement = submitted({ transaction: null });
  const found = await resolve(settlement, {}, { cause: "insufficient_funds" });
  expect(found.failed).toEqual([["insufficient_funds", false]]);
});

test("what is used without a log is unknown, and never failed", async () => {
  await expect(resolve(submitted(), {}, { isUnexplained: true })).rejects.toThrow("no log of it");
});

test.each([
  ["a plain account", false, false, false],
  ["a plain account that has got code", false, true, true],
  ["a contract wallet", true, true, false],
])("a queued payment of %s is refused", async (_name, hadCode, hasCode, pausesPayer) => {
  const settlement = queuedSettlement({ payerHasCode: hadCode });
  const { failures, failure, proofs } = observed({ cause: "insufficient_funds", hasCode });
  if (!failure) throw new Error("the situation has a cause");
  await createResolveRefused(proofs)(settlement, failure);
  const unassigned = { transaction: null, onlyUnassigned: true };
  expect(failures).toMatchObject([{ code: "insufficient_funds", ...unassigned, pausesPayer }]);
});

test("a queued payment that is used without a log is not refused", async () => {
  const { failures, failure, proofs } = observed({
    cause: "nonce_already_used",
    isUnexplained: true,
  });
  if (!failure) throw new Error("the situation has a cause");
  const asked = createResolveRefused(proofs)(queuedSettlement(), failure);
  await expect(asked).rejects.toThrow("no log of it");
  expect(failures).toEqual([]);
});
