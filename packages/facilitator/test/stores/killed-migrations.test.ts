/** A first start, or one of a new version, that ends within its changes to a SQLite file. */
import { StatementSync } from "node:sqlite";
import { afterEach, expect, test, vi } from "vitest";
import { openStore } from "../../src/features/open-store.ts";
import { newDatabaseUrl } from "../support/facilitator.testing.ts";

/** Of some 240 statements; a prime, so that all kinds of them are met. */
const everyNth = 7;

afterEach(() => {
  vi.restoreAllMocks();
});

/** Has no statement change anything after the `last` one, as for a process that was killed. */
function killAfter(last: number): { readonly statements: number } {
  const run = StatementSync.prototype.run;
  const counted = { statements: 0 };
  vi.spyOn(StatementSync.prototype, "run").mockImplementation(function (
    this: StatementSync,
    ...values
  ) {
    counted.statements += 1;
    if (counted.statements > last) throw new Error("The process was killed.");
    return run.apply(this, values);
  });
  return counted;
}

test("the next start completes the file, after whichever statement one was killed", async () => {
  const counted = killAfter(Infinity);
  await (await openStore(newDatabaseUrl())).close();
  const { statements } = counted;
  vi.restoreAllMocks();
  expect(statements).toBeGreaterThan(100);

  for (let last = 0; last < statements; last += everyNth) {
    const url = newDatabaseUrl();
    killAfter(last);
    await expect(openStore(url), `after ${last}`).rejects.toThrow();
    vi.restoreAllMocks();
    const store = await openStore(url);
    expect(await store.checkWritable(), `after ${last}`).toBeUndefined();
    await store.close();
  }
});
