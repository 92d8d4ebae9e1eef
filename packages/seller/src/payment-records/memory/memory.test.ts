/** Payment records in memory: the promises of every store, and the bound on those who wait. */
import { expect, test } from "vitest";
import { closingSuite } from "../../exchange/closing.suite.ts";
import { balancesSuite } from "../balances/balances.suite.ts";
import { channelsSuite } from "../channels/channels.suite.ts";
import { passesSuite } from "../passes/passes.suite.ts";
import { refundsSuite } from "../rules/refunds.suite.ts";
import { paymentRecordsSuite, type StoreKind } from "../rules/payment-records.suite.ts";
import { maxChargesInMemory } from "./balance-store.ts";
import { createMemoryGrants } from "./memory.ts";
import { maxNoncesInMemory } from "./pass-store.ts";
import type { Access } from "../rules/payment-records.ts";

const access: Access = { proof: { token: "t" }, rule: "bound" };

const memory: StoreKind = {
  isShared: false,
  isBounded: true,
  open: async () => ({ create: createMemoryGrants, close: async () => undefined }),
};

paymentRecordsSuite("memory", memory);
closingSuite("memory", memory);
passesSuite("memory", memory);
channelsSuite("memory", memory);
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

const payment = { payer: "0x1", amount: "1", network: "eip155:50", transaction: "0x2" };

test("a payment tops up once, also after more charges than are remembered", async () => {
  const { balances } = createMemoryGrants();
  const paid = { ...payment, amount: "5000" };
  const { id } = (await balances?.topUp("a", "models", paid)) ?? { id: "" };
  for (let nth = 0; nth <= maxChargesInMemory; nth++) {
    await balances?.reserve(id, { useId: `${nth}`, amount: 1n });
    await balances?.charge(id, `${nth}`, 1n);
  }
  await balances?.topUp("a", "models", paid);
  expect(await balances?.read(id)).toMatchObject({ amount: 4_999n - BigInt(maxChargesInMemory) });
});

test("an identifier stands for its payment while a call that was lost may still arrive", async () => {
  const nowMs = 1_000_000;
  const grants = createMemoryGrants({ now: () => nowMs });
  const over = { fingerprint: "f", payload: "p", validBeforeMs: nowMs - 1 };
  expect(await grants.identify("name", { key: "a", ...over })).toBe(true);
  expect(await grants.identify("name", { key: "b", ...over })).toBe(false);
});

test("takes no payment for a balance whose top-up it could not remember, and forgets no earlier one", async () => {
  const { balances, refunds } = createMemoryGrants({ topUpsMax: 3 });
  const id = (await balances?.idOf("models", payment)) ?? "";
  for (const key of ["a", "b", "c"]) {
    expect(await balances?.hasRoom(id)).toBe(true);
    await balances?.topUp(key, "models", payment);
  }
  expect(await balances?.hasRoom(id)).toBe(false);
  // One that was under way meanwhile is still added, and each can go back.
  await balances?.topUp("d", "models", payment);
  expect(await balances?.read(id)).toMatchObject({ amount: 4n });
  for (const key of ["a", "b", "c", "d"]) {
    const debit = await refunds?.debit({ key, ordinal: 0 }, undefined, 1n);
    expect(debit).toEqual({ kind: "debited", amount: 1n });
  }
});

test("refuses a sign-in whose nonce it could not remember, until earlier ones have ended", async () => {
  let nowMs = 0;
  const { passes } = createMemoryGrants({ now: () => nowMs });
  const endMs = 600_000;
  for (let nth = 0; nth < maxNoncesInMemory; nth++) {
    expect(await passes?.useNonce(`${nth}`, endMs)).toBe(true);
  }
  await expect(passes?.useNonce("one more", endMs)).rejects.toThrow("repeat this one in a minute");
  // None was forgotten, so none opens anything a second time.
  expect(await passes?.useNonce("0", endMs)).toBe(false);
  nowMs = endMs;
  expect(await passes?.useNonce("one more", 2 * endMs)).toBe(true);
});
