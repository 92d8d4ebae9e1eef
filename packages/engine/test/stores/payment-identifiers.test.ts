/** Identifiers of buyers in the store: what a claim stores, refuses and forgets. */
import { describe, expect, test } from "vitest";
import { bothEngines, storeForEach } from "./store-benches.testing.ts";
import { claimOf, idOf, refusalOf } from "./store-values.testing.ts";

const identifier = "pay_7d5d747be160e280504c099d984bcfe0";

/** Unix seconds. */
const validBefore = 100n;

describe.each(bothEngines())("%s", (_, start) => {
  const at = storeForEach(start);

  const count = async () => {
    const rows = await at().bench.query("select count(*) as count from payment_identifiers");
    return Number(rows[0]?.["count"]);
  };

  test("two payments with one id in one group: the second one is refused", async () => {
    const { store } = at();
    const claims = [identifier, identifier, undefined].map((of) =>
      claimOf({ identifier: of, validBefore }),
    );
    const results = await store.claimSettlements(claims, 1);
    expect(results.map(refusalOf)).toEqual([undefined, "payment_identifier_conflict", undefined]);
    // The refused one may come with another id.
    const [again] = await store.claimSettlements(
      claims.slice(1, 2).map((claim) => ({ ...claim, identifier: `${identifier}_2` })),
      2,
    );
    expect(idOf(again)).toBeDefined();
  });

  test("rows end with the authorization, or after 30 days, and are removed in groups", async () => {
    const { store } = at();
    const day = 24 * 60 * 60 * 1000;
    const claims = [validBefore, validBefore, validBefore, 1n << 255n].map((end, index) =>
      claimOf({ identifier: `${identifier}${index}`, validBefore: end }),
    );
    await store.claimSettlements(claims, 1);
    await store.forgetExpired(99_999, 10);
    expect(await count()).toBe(4);
    await store.forgetExpired(100_000, 2);
    expect(await count()).toBe(2);
    await store.forgetExpired(1 + 29 * day, 10);
    expect(await count()).toBe(1);
    await store.forgetExpired(1 + 30 * day, 10);
    expect(await count()).toBe(0);
  });
});
