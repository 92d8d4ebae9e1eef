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

test("a note costs the same after thousands of top-ups, which are kept for good", async () => {
  let readings = 0;
  const { balances, passes } = createMemoryGrants({ now: () => ++readings });
  const payment = { payer: "0x1", amount: "1", network: "eip155:50", transaction: "0x2" };
  const readingsOf = async (nonce: string): Promise<number> => {
    const before = readings;
    await passes?.useNonce(nonce, 1e12);
    return readings - before;
  };
  const first = await readingsOf("first");
  for (let nth = 1; nth <= 3_000; nth++) await balances?.topUp(`${nth}`, "models", payment);
  expect(await readingsOf("later")).toBeLessThan(first + 10);
});
