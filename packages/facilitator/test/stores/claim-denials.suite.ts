/** Claims that the service denies: over a payer's cap, or with an API key that is not valid. */
import { describe, expect, test } from "vitest";
import type { ClaimResult } from "@farthing/engine/storage";
import { storeForEach, type StoreAt } from "./store-benches.testing.ts";
import {
  claimOf,
  idOf,
  lane,
  otherLane,
  refusalOf,
  type ClaimChanges,
  type StoreBench,
} from "./store-values.testing.ts";
import type { ServiceStore } from "../../src/features/open-store.ts";

/** The tests, on databases that `start` makes. */
export function claimDenialsSuite(start: () => Promise<StoreBench>): void {
  const at = storeForEach(start);
  const storeNow = () => at().store;

  describe("a payer's cap", () => capTests(storeNow));
  describe("API keys", () => keyTests(storeNow));
  describe("payment identifiers", () => identifierTests(at));
}

const kindsOf = (results: readonly ClaimResult[]) => results.map(({ kind }) => kind);
const isCreated = (kind: string) => kind === "created";

function capTests(store: () => ServiceStore): void {
  const cap = { units: 100n, windowMs: 1_000 };

  test("holds when all come at once, each alone", async () => {
    const claims = Array.from({ length: 20 }, () => claimOf({ payerCap: cap }));
    const results = await Promise.all(claims.map((claim) => store().claimSettlements([claim], 1)));
    expect(kindsOf(results.flat()).filter(isCreated)).toHaveLength(10);
  });

  test("holds within a group", async () => {
    const claims = Array.from({ length: 20 }, () => claimOf({ payerCap: cap }));
    const results = await store().claimSettlements(claims, 1);
    expect(kindsOf(results).filter(isCreated)).toHaveLength(10);
    expect(results.at(-1)).toEqual({ kind: "refused", reason: "payer_spend_cap_reached" });
  });

  test("counts a payer's own, in the window, on one network, without what failed or had a key", async () => {
    const claimAt = async (now: number, changes: ClaimChanges = {}) =>
      kindsOf(
        await store().claimSettlements([claimOf({ amount: 60n, payerCap: cap, ...changes })], now),
      )[0];
    expect(await claimAt(1)).toBe("created");
    expect(await claimAt(2)).toBe("refused");
    expect(await claimAt(2, { amount: 40n })).toBe("created");
    expect(await claimAt(2, { payer: otherLane })).toBe("created");
    expect(await claimAt(2, { chainId: 50 })).toBe("created");
    expect(await claimAt(2, { payerCap: null })).toBe("created");
    expect(await claimAt(1_003)).toBe("created");
    await store().createApiKey(keyOf("good"));
    await store().claimSettlements([claimOf({ payer: lane, amount: 100n, keyId: "good" })], 1);
    const failing = claimOf({ payer: lane, amount: 100n, payerCap: cap });
    await store().claimSettlements([failing], 1);
    expect(await claimAt(2, { payer: lane })).toBe("refused");
    const failure = { id: failing.id, code: "token_paused", message: "m", transaction: null };
    await store().recordFailed([{ ...failure, code: "token_paused" }], 2);
    expect(await claimAt(3, { payer: lane })).toBe("created");
  });

  test("a repeat of what was claimed is not counted", async () => {
    const claim = claimOf({ amount: 100n, payerCap: cap });
    await store().claimSettlements([claim], 1);
    const again = { ...claim, id: "stl_again" };
    expect(kindsOf(await store().claimSettlements([again], 2))).toEqual(["existing"]);
  });
}

const keyOf = (id: string, expiresAt: number | null = null) => ({
  id,
  account: lane,
  mode: "test" as const,
  label: "l",
  hash: "00",
  lastFour: "0000",
  createdAt: 1,
  createdBy: null,
  lastUsedAt: null,
  expiresAt,
  revokedAt: null,
});

function keyTests(store: () => ServiceStore): void {
  test("one that is revoked, expired or unknown claims nothing", async () => {
    for (const id of ["good", "revoked"]) await store().createApiKey(keyOf(id));
    await store().createApiKey(keyOf("expired", 10));
    expect(await store().revokeApiKey("revoked", 5)).toBe(true);
    expect(await store().revokeApiKey("revoked", 6)).toBe(false);
    expect(await store().revokeApiKey("nowhere", 6)).toBe(false);
    const claims = ["good", "revoked", "expired", "nowhere"].map((keyId) => claimOf({ keyId }));
    const results = await store().claimSettlements(claims, 10);
    const refused = { kind: "refused", reason: "key_not_valid" };
    expect(results).toMatchObject([{ kind: "created" }, refused, refused, refused]);
  });
}

const identifier = "pay_7d5d747be160e280504c099d984bcfe0";

function identifierTests(at: StoreAt): void {
  const count = async () => {
    const rows = await at().bench.query("select count(*) as count from payment_identifiers");
    return Number(rows[0]?.["count"]);
  };

  test("a payment that is refused for another reason takes no id", async () => {
    const { store } = at();
    const refused = claimOf({ identifier, keyId: "no such key" });
    const [result] = await store.claimSettlements([refused], 1);
    expect([refusalOf(result), await count()]).toEqual(["key_not_valid", 0]);
    const [next] = await store.claimSettlements([claimOf({ identifier })], 1);
    expect(idOf(next)).toBeDefined();
  });
}
