/** What the store removes, and above all what it keeps: on both databases. */
import { refundNonce, type Address } from "@farthing/protocol";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Claim } from "@farthing/engine";
import type { RetiredSettlement } from "@farthing/engine/source/storage/retention";
import { bothEngines, storeForEach } from "./store-benches.testing.ts";
import {
  chainId,
  claimOf,
  fund,
  held,
  hex32,
  idOf,
  lane,
  minedIn,
  next,
  planOf,
  type ClaimChanges,
} from "./store-values.testing.ts";
import type { ServiceStore } from "../../src/features/open-store.ts";

const account: Address = `0x${"33".repeat(20)}`;

/** Terms under which everything that these tests make is old enough, and its authorization over. */
const over = { madeBefore: 1_000_000, endedBefore: 1_000, limit: 100 };

/** An authorization that is over, by an account that pays two credits. */
const oldClaim = (changes: ClaimChanges = {}) =>
  claimOf({ account, price: 2, validBefore: 900n, ...changes });

/** The ends of these claims' watches. */
const ended = (ids: readonly string[]) => ids.map((id) => ({ id, validBefore: 900n }));

/** Claims, signs and sends settlements, one transaction each; their ids with those of the transactions. */
async function carried(store: ServiceStore, ...claims: readonly Claim[]) {
  const ids = (await store.claimSettlements(claims, 5)).map((result) => idOf(result) ?? "");
  const lease = await held(store);
  const transactions = await store.reserveTransactions(
    lease,
    ids.map((id) => planOf(id)),
    5,
  );
  const signed = transactions.map(
    ({ id }) => ({ id, raw: "0xabcd", hash: hex32(next()) }) as const,
  );
  await store.recordSigned(lease, signed, 5);
  return { lease, ids, transactions };
}

/** Mined in a block, and final. */
async function settled(store: ServiceStore, block: number, ...claims: readonly Claim[]) {
  const { ids, transactions } = await carried(store, ...claims);
  await store.closeTransactions(transactions, "mined", block);
  await store.recordConfirmed(
    ids.map((id) => ({ id, mined: minedIn(block) })),
    6,
  );
  return ids;
}

/** Walks until there is nothing older left; what was removed. */
async function prune(
  store: ServiceStore,
  terms: Partial<typeof over> = {},
): Promise<RetiredSettlement[]> {
  const removed: RetiredSettlement[] = [];
  let options: Parameters<ServiceStore["pruneSettlements"]>[1] = { ...over, ...terms };
  for (;;) {
    const step = await store.pruneSettlements(chainId, options, async (some) => {
      removed.push(...some);
    });
    if (!step.next) return removed;
    options = { ...options, from: step.next };
  }
}

describe.each(bothEngines())("%s", (name, start) => {
  const at = storeForEach(start);
  const store = () => at().store;
  const count = async (table: string) =>
    Number((await at().bench.query(`select count(*) as count from ${table}`))[0]?.["count"]);

  const withBytes = async () => {
    const rows = await at().bench.query(
      "select id from relayer_transactions where raw is not null and data <> '' order by id",
    );
    return rows.map(({ id }) => Number(id));
  };

  test("signed bytes go with the block that is final, those of replaced transactions too", async () => {
    await fund(store(), account, 100);
    const { lease, ids, transactions } = await carried(
      store(),
      ...Array.from({ length: 4 }, () => oldClaim()),
    );
    const [first, second, third] = transactions;
    if (!first || !second || !third) throw new Error("four were reserved");
    const plan = planOf(ids[0] ?? "");
    const replacement = await store().replaceTransaction(lease, first.nonce, plan, 5);
    if (!replacement) throw new Error("none was mined at the nonce");
    const signed = { id: replacement.id, raw: "0xabcd", hash: hex32(next()) } as const;
    await store().recordSigned(lease, [signed], 5);
    await store().closeTransactions([replacement], "mined", 10);
    await store().closeTransactions([first], "dropped");
    await store().closeTransactions([second], "mined", 11);
    await store().closeTransactions([third], "mined", 20);
    expect(await store().pruneSignedBytes(chainId, 15, 1)).toBe(1);
    expect(await withBytes()).toEqual([second.id, third.id, transactions[3]?.id]);
    expect(await store().pruneSignedBytes(chainId, 15, 10)).toBe(1);
    expect(await store().pruneSignedBytes(chainId, 15, 10)).toBe(0);
    expect(await withBytes()).toEqual([third.id, transactions[3]?.id]);
    expect(await store().isRelayerTransaction(signed.hash)).toBe(true);
  });

  test("nonces that turn out unused without their bytes are dropped, the others are open", async () => {
    await fund(store(), account, 100);
    const { lease, transactions } = await carried(store(), oldClaim(), oldClaim());
    const [first, second] = transactions;
    if (!first || !second) throw new Error("two were reserved");
    await store().closeTransactions([first], "mined", 100);
    await store().closeTransactions([second], "mined", 101);
    await store().pruneSignedBytes(chainId, 100, 10);
    const used = { lane: lease.lane, fromNonce: first.nonce, upToBlock: 101 };
    await store().reopenTransactions(chainId, used);
    const open = await store().listOpenTransactions(chainId, lease.lane);
    expect(open.map(({ id }) => id)).toEqual([second.id]);
    expect(await store().countMinedNonces(chainId, lease.lane)).toBe(first.nonce);
  });

  test.runIf(name === "PostgreSQL")(
    "signed bytes stay while the index that finds them is being created after an upgrade",
    async () => {
      await fund(store(), account, 100);
      await settled(store(), 10, oldClaim());
      await at().bench.query("drop index relayer_transactions_bytes");
      expect(await store().pruneSignedBytes(chainId, 15, 10)).toBe(0);
      expect(await withBytes()).toHaveLength(1);
      await at().bench.query(
        "create index relayer_transactions_bytes on relayer_transactions (chain_id, block_number) where raw is not null and block_number is not null",
      );
      expect(await store().pruneSignedBytes(chainId, 15, 10)).toBe(1);
    },
  );

  test.runIf(name === "PostgreSQL")(
    "settlements stay while an index that finds them is being created after an upgrade",
    async () => {
      await settled(store(), 10, oldClaim({ account: null, price: 0 }));
      await store().recordFinalized(chainId, 10, 7);
      await at().bench.query("drop index settlements_elsewhere");
      expect(await prune(store())).toEqual([]);
      await at().bench.query(
        "create index settlements_elsewhere on settlements (chain_id, confirmed_at, id) where settled_by = 'other'",
      );
      expect(await prune(store())).toHaveLength(1);
    },
  );

  test("only what is over is removed, with all that belongs to it", async () => {
    await fund(store(), account, 100);
    const far = { validBefore: (1n << 256n) - 1n };
    const books = { resource: "https://shop.example/r", route: null, reference: "1" };
    const [gone = "", , kept = ""] = await settled(
      store(),
      10,
      oldClaim({ terms: { books } }),
      oldClaim(far),
      oldClaim({ validBefore: 1_000n }),
    );
    await store().recordFinalized(chainId, 10, 7);
    const unfinal = await settled(store(), 11, oldClaim());
    const open = await carried(store(), oldClaim(), oldClaim());
    const [failed = "", failedLate = ""] = open.ids;
    const why = { code: "transaction_reverted", message: "m", transaction: null } as const;
    await store().recordFailed([{ id: failed, ...why }], 7);
    await store().recordFailed([{ id: failedLate, ...why }], 2_000_000);
    await store().endFailureWatches(ended(open.ids));
    const queued = (await store().claimSettlements([oldClaim()], 5)).map(idOf);
    const before = await store().findCredits(account);

    const removed = await prune(store(), { limit: 2 });
    expect(removed.map(({ settlement }) => settlement.id).toSorted()).toEqual(
      [gone, failed].toSorted(),
    );
    const exported = removed.find(({ settlement }) => settlement.id === gone);
    expect(exported?.["entries"]).toMatchObject([
      { kind: "hold", credits: -2 },
      { kind: "charge", credits: 0 },
    ]);
    expect(exported?.["books"]).toEqual(books);
    expect(await count("settlement_books")).toBe(0);
    expect(exported?.settlement).toMatchObject({ state: "confirmed", amount: 10n });
    expect(exported?.settlement).not.toHaveProperty("signature");
    for (const id of [gone, failed]) expect(await store().findSettlement(id)).toBeUndefined();
    for (const id of [kept, ...unfinal, failedLate, ...queued]) {
      expect(await store().findSettlement(id ?? "")).toBeDefined();
    }
    expect(await store().findCredits(account)).toEqual(before);
    expect(await store().auditCredits(10)).toEqual([]);
    expect(await count("transaction_settlements")).toBe(4);
    expect(await prune(store())).toEqual([]);
  });

  test("where the export fails nothing is removed", async () => {
    await fund(store(), account, 100);
    const [id = ""] = await settled(store(), 10, oldClaim());
    await store().recordFinalized(chainId, 10, 7);
    const failing = store().pruneSettlements(chainId, over, () =>
      Promise.reject(new Error("no space left on device")),
    );
    await expect(failing).rejects.toThrow();
    expect(await store().findSettlement(id)).toBeDefined();
    expect(await store().auditCredits(10)).toEqual([]);
  });

  test("a settlement that a purchase of credits names stays", async () => {
    const [id = ""] = await settled(store(), 10, oldClaim({ account: null, price: 0 }));
    await store().recordFinalized(chainId, 10, 7);
    await store().ensureAccount(account, 1);
    await at().bench.query(
      `insert into credit_purchases (id, account, chain_id, credits, units, state, settlement_id, timeline, created_at, expires_at, updated_at)
       values ('pur_1', '${account}', ${chainId}, 1, '1000', 'credited', '${id}', '[]', 1, 1, 1)`,
    );
    expect(await prune(store())).toEqual([]);
  });

  test("a settlement that somebody else's transaction confirmed goes too, though none of ours carried it", async () => {
    const claims = Array.from({ length: 5 }, () => oldClaim({ account: null, price: 0 }));
    const ids = (await store().claimSettlements(claims, 5)).map((result) => idOf(result) ?? "");
    const mined = { ...minedIn(10), settledBy: "other" } as const;
    await store().recordConfirmed(
      ids.map((id) => ({ id, mined })),
      6,
    );
    expect(await prune(store())).toEqual([]);
    await store().recordFinalized(chainId, 10, 7);
    // Groups end in the middle of those that were confirmed in one moment.
    expect(await prune(store(), { limit: 2 })).toHaveLength(ids.length);
  });

  test("failures of one moment all go in one pass", async () => {
    const claims = Array.from({ length: 5 }, () => oldClaim({ account: null, price: 0 }));
    const ids = (await store().claimSettlements(claims, 5)).map((result) => idOf(result) ?? "");
    const why = { code: "transaction_reverted", message: "m", transaction: null } as const;
    await store().recordFailed(
      ids.map((id) => ({ id, ...why })),
      7,
    );
    await store().endFailureWatches(ended(ids));
    expect(await prune(store(), { limit: 2 })).toHaveLength(ids.length);
  });

  test("a failed settlement stays while a late confirmation is watched for", async () => {
    const [claimed] = await store().claimSettlements([oldClaim({ account: null, price: 0 })], 5);
    const id = idOf(claimed) ?? "";
    const why = { code: "transaction_reverted", message: "m", transaction: null } as const;
    await store().recordFailed([{ id, ...why }], 7);
    expect(await prune(store())).toEqual([]);
    await store().endFailureWatches(ended([id]));
    expect(await prune(store())).toHaveLength(1);
  });

  test("a refund stays as long as its payment, and is removed after it", async () => {
    const free = { account: null, price: 0 };
    const [id = ""] = await settled(store(), 10, oldClaim({ ...free, validBefore: 1_000n }));
    await store().recordFinalized(chainId, 10, 7);
    const payment = await store().findSettlement(id);
    if (!payment) throw new Error("the payment is missing");
    const refund = oldClaim({
      ...free,
      payer: payment.payTo,
      payTo: payment.payer,
      nonce: refundNonce(payment, 0),
      refund: { of: id, unitsMin: 1n },
    });
    await store().claimSettlements([refund], 8);
    const mined = { ...minedIn(11), settledBy: "other" } as const;
    await store().recordConfirmed([{ id: refund.id, mined }], 9);
    await store().recordFinalized(chainId, 11, 10);
    expect(await prune(store())).toEqual([]);
    expect(await store().listRefunds([id])).toHaveLength(1);
    const later = { ...over, endedBefore: 1_001 };
    const removed = [...(await prune(store(), later)), ...(await prune(store(), later))];
    expect(removed.map(({ settlement }) => settlement.id)).toEqual([id, refund.id]);
    expect(await store().listRefunds([id])).toEqual([]);
  });

  test("nothing is removed before the sums contain it", async () => {
    const ids = await settled(store(), 10, oldClaim({ account: null, price: 0 }));
    await store().recordFinalized(chainId, 10, 7);
    await at().bench.query("update sums_progress set is_complete = 0");
    expect(await prune(store())).toEqual([]);
    await at().bench.query("update sums_progress set is_complete = 1");
    expect(await prune(store())).toHaveLength(ids.length);
  });

  test("the last transaction of a wallet stays, since it tells the nonce", async () => {
    await fund(store(), account, 100);
    await settled(store(), 10, oldClaim(), oldClaim(), oldClaim());
    await store().recordFinalized(chainId, 10, 7);
    const before = await store().countMinedNonces(chainId, lane);
    expect(await prune(store())).toHaveLength(3);
    expect(await count("relayer_transactions")).toBe(1);
    expect(await store().countMinedNonces(chainId, lane)).toBe(before);
  });

  test("the database keeps entries whose settlement is there, and all that have none", async () => {
    await fund(store(), account, 100);
    await settled(store(), 10, oldClaim());
    for (const which of ["settlement_id is not null", "settlement_id is null"]) {
      const removal = at().bench.query(`delete from credit_entries where ${which}`);
      await expect(removal).rejects.toThrow("removed with its settlement only");
    }
    const change = at().bench.query("update credit_entries set credits = credits - 1");
    await expect(change).rejects.toThrow("only added");
    expect(await count("credit_closings")).toBe(0);
  });

  test("the ledger is exact whatever is removed in between", async () => {
    const outcome = fc.constantFrom("final", "confirmed", "failed", "open");
    const round = fc.record({
      outcomes: fc.array(outcome, { minLength: 1, maxLength: 5 }),
      prunes: fc.boolean(),
    });
    let block = 100;
    let told = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(round, { minLength: 1, maxLength: 5 }), async (rounds) => {
        const of: Address = `0x${(++told).toString(16).padStart(40, "f")}`;
        await fund(store(), of, 100);
        let [spent, reserved] = [0, 0];
        for (const { outcomes, prunes } of rounds) {
          const claims = outcomes.map(() => oldClaim({ account: of }));
          const { ids, transactions } = await carried(store(), ...claims);
          for (const [index, became] of outcomes.entries()) {
            const id = ids[index] ?? "";
            const carriers = transactions.slice(index, index + 1);
            if (became === "open") reserved += 2;
            else await store().closeTransactions(carriers, "mined", ++block);
            if (became === "failed") {
              const why = {
                code: "transaction_reverted",
                message: "m",
                transaction: null,
              } as const;
              await store().recordFailed([{ id, ...why }], 7);
            } else if (became !== "open") {
              spent += 2;
              await store().recordConfirmed([{ id, mined: minedIn(block) }], 6);
              if (became === "final") await store().recordFinalized(chainId, block, 8);
            }
          }
          if (prunes) await prune(store(), { limit: 3 });
          expect(await store().findCredits(of)).toEqual({
            available: 100 - spent - reserved,
            held: reserved,
          });
          expect(await store().auditCredits(10)).toEqual([]);
        }
      }),
      { numRuns: 15 },
    );
  });
});
