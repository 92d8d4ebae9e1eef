/** What every store promises about the request log: whose calls, which of them, and how many. */
import type { Address } from "@farthing/protocol";
import { expect, test } from "vitest";
import {
  keptCallsMax,
  type CallFilter,
  type LoggedCall,
} from "../../src/features/request-log/model.ts";
import { storeForEach } from "./store-benches.testing.ts";
import { next, type StoreBench } from "./store-values.testing.ts";

/** Tests share a database: each has accounts of its own. */
const newAccount = (): Address => `0x${next().toString().padStart(40, "0")}`;

const callOf = (
  account: Address,
  changes: Partial<Omit<LoggedCall, "account">> = {},
): LoggedCall => ({
  account,
  requestId: `req_${next()}`,
  keyId: "key",
  mode: "test",
  createdAt: next(),
  method: "POST",
  path: "/settle",
  status: 200,
  durationMs: 12,
  code: null,
  message: null,
  result: "confirmed",
  settlementId: "stl_1",
  transaction: null,
  asked: { network: "eip155:51", amount: "10000" },
  ...changes,
});

/** The tests, on databases that `start` makes. */
export function apiCallsSuite(start: () => Promise<StoreBench>): void {
  const at = storeForEach(start);

  test("calls are counted by hour and by how they ended", async () => {
    const { store } = at();
    const seller = newAccount();
    const hour = 500_000;
    const during = (changes: Partial<LoggedCall>, minutes: number) =>
      callOf(seller, { createdAt: hour * 3_600_000 + minutes * 60_000, ...changes });
    await store.recordCalls([
      during({}, -1),
      during({}, 0),
      during({ mode: "live" }, 1),
      during({ code: "insufficient_funds" }, 2),
      during({ status: 404 }, 3),
      during({ status: 503, code: "no_wallet" }, 59),
      during({}, 60),
    ]);
    const counted = await store.countCalls(seller, { mode: "test", since: hour * 3_600_000 });
    expect(counted).toEqual([
      { hour, answered: 1, refused: 2, failed: 1 },
      { hour: hour + 1, answered: 1, refused: 0, failed: 0 },
    ]);
    expect(await store.countCalls(newAccount(), { mode: "test", since: 0 })).toEqual([]);
  });

  test("calls are their account's, the newest first, in pages, with the name of their key", async () => {
    const { store } = at();
    const seller = newAccount();
    const keyId = `key${next()}`;
    await store.createApiKey({
      id: keyId,
      account: seller,
      mode: "test",
      label: "Shop",
      hash: "h",
      lastFour: "last",
      createdAt: 1,
      createdBy: null,
      lastUsedAt: null,
      expiresAt: null,
      revokedAt: null,
    });
    const [one, two, three] = [
      callOf(seller, { keyId }),
      callOf(seller, { keyId: "gone" }),
      callOf(seller, { keyId }),
    ];
    const foreign = callOf(newAccount());
    await store.recordCalls([one, foreign, two]);
    await store.recordCalls([three]);
    const first = await store.listCalls(seller, {}, { limit: 2 });
    expect(first.items).toMatchObject([
      { ...three, keyLabel: "Shop" },
      { ...two, keyLabel: null },
    ]);
    const last = await store.listCalls(seller, {}, { from: first.next ?? 0, limit: 2 });
    expect(last).toMatchObject({ items: [one], next: null });
    expect(await store.findCall(seller, one.requestId)).toMatchObject(one);
    expect(await store.findCall(seller, foreign.requestId)).toBeUndefined();
  });

  test("filters narrow the list", async () => {
    const { store } = at();
    const seller = newAccount();
    const settled = callOf(seller);
    const refused = callOf(seller, { path: "/hosted/verify", code: "invalid_signature" });
    const limited = callOf(seller, { status: 429, code: "rate_limited", keyId: "two" });
    const broken = callOf(seller, { status: 503, code: "service_unavailable", mode: "live" });
    await store.recordCalls([settled, refused, limited, broken]);
    const found = async (filter: CallFilter) => {
      const { items } = await store.listCalls(seller, filter, { limit: 10 });
      return items.map(({ requestId }) => requestId);
    };
    expect(await found({ status: "2xx" })).toEqual([refused.requestId, settled.requestId]);
    expect(await found({ status: "4xx" })).toEqual([limited.requestId]);
    expect(await found({ status: "5xx" })).toEqual([broken.requestId]);
    const codes = [broken, limited, refused].map(({ requestId }) => requestId);
    expect(await found({ status: "refused" })).toEqual(codes);
    expect(await found({ path: "/verify" })).toEqual([refused.requestId]);
    // The signs of a pattern are signs of a path.
    expect(await found({ path: "%verify" })).toEqual([]);
    expect(await found({ path: "_verify" })).toEqual([]);
    expect(await found({ keyId: "two" })).toEqual([limited.requestId]);
    expect(await found({ mode: "live" })).toEqual([broken.requestId]);
    expect(await found({ mode: "live", status: "4xx" })).toEqual([]);
  });

  test("a group that is recorded again is there once", async () => {
    const { store } = at();
    const seller = newAccount();
    const calls = [callOf(seller), callOf(seller)];
    await store.recordCalls(calls);
    await store.recordCalls([...calls, callOf(seller)]);
    expect((await store.listCalls(seller, {}, { limit: 10 })).items).toHaveLength(3);
  });

  test("the oldest calls of an account make room, and calls end with their time", async () => {
    const { store, bench } = at();
    const [seller, other] = [newAccount(), newAccount()];
    const [first, second, third] = [
      callOf(seller),
      callOf(seller),
      callOf(seller, { createdAt: 5_000_000 }),
    ];
    await store.recordCalls([first, callOf(other, { createdAt: 5_000_000 })]);
    await bench.query(
      `update api_call_counts set recorded = ${keptCallsMax - 1} where account = '${seller}'`,
    );
    await store.recordCalls([second]);
    expect((await store.listCalls(seller, {}, { limit: 10 })).items).toHaveLength(2);
    // The number of this call is beyond those that are kept by one.
    await store.recordCalls([third]);
    const { items } = await store.listCalls(seller, {}, { limit: 10 });
    expect(items).toMatchObject([third, second]);
    expect((await store.listCalls(other, {}, { limit: 10 })).items).toHaveLength(1);
    expect(await store.removeCalls(5_000_000, 1)).toBe(1);
    while ((await store.removeCalls(5_000_000, 5)) > 0);
    expect((await store.listCalls(seller, {}, { limit: 10 })).items).toMatchObject([third]);
  });
}
