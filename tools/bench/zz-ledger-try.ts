import { openStore } from "/work/main/packages/facilitator/src/storage/open-store.ts";
import {
  claimOf,
  fund,
  minedIn,
} from "/work/main/packages/facilitator/src/storage/store-values.testing.ts";
import { startPostgres } from "/work/main/packages/facilitator/src/storage/postgres.testing.ts";
import { rmSync } from "node:fs";
const acc = `0x${"33".repeat(20)}` as const;
const pg = await startPostgres({ isDurable: true });
rmSync("/tmp/storage-bench/a.db", { force: true });
for (const [name, url] of [
  ["sqlite", "sqlite:/tmp/storage-bench/a.db"],
  ["pg", pg.databaseUrl],
] as const) {
  const store = await openStore(url);
  await fund(store, acc, 1_000_000);
  for (const size of [1, 20, 200]) {
    const t: Record<string, number[]> = {};
    const kinds = { plain: {}, account: { account: acc }, priced: { account: acc, price: 1 } };
    for (let round = 0; round < 15; round++)
      for (const [kind, extra] of Object.entries(kinds)) {
        const claims = Array.from({ length: size }, () => claimOf(extra));
        let a = performance.now();
        await store.claimSettlements(claims, 5);
        (t[kind + " claim"] ??= []).push(performance.now() - a);
        a = performance.now();
        await store.recordConfirmed(
          claims.map(({ id }) => ({ id, mined: minedIn(100) })),
          6,
        );
        (t[kind + " confirm"] ??= []).push(performance.now() - a);
      }
    const med = (x: number[]) => x.toSorted((p, q) => p - q)[x.length >> 1]!.toFixed(1);
    console.log(name, size, Object.fromEntries(Object.entries(t).map(([k, v]) => [k, med(v)])));
  }
  await store.close();
}
await pg.stop();
