/** Payment records in memory: the promises of every store, and the bound on those who wait. */
import { expect, test } from "vitest";
import { closingSuite } from "../exchange/closing.suite.ts";
import { balancesSuite } from "./balances.suite.ts";
import { passesSuite } from "./passes.suite.ts";
import { refundsSuite } from "./refunds.suite.ts";
import { paymentRecordsSuite, type StoreKind } from "./payment-records.suite.ts";
import { createMemoryGrants } from "./memory.ts";
import type { Access } from "./payment-records.ts";

const access: Access = { proof: { token: "t" }, rule: "bound" };

const memory: StoreKind = {
  isShared: false,
  isBounded: true,
  open: async () => ({ create: createMemoryGrants, close: async () => undefined }),
};

paymentRecordsSuite("memory", memory);
closingSuite("memory", memory);
passesSuite("memory", memory);
balancesSuite("memory", memory);
refundsSuite("memory", memory);

test("does not gather waiters without end", async () => {
  const grants = createMemoryGrants();
  const acquired = await grants.acquire(
    { key: "a", fingerprint: "f", payload: "p", validBeforeMs: 1 },
    access,
  );
  const waiting = Array.from({ length: 65 }, () => grants.wait("a", 60_000));
  expect(await waiting.at(-1)).toBe(false);
  if (acquired.kind === "acquired") await acquired.lease.unlock();
  expect(await waiting[0]).toBe(true);
});
