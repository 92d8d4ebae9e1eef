/** A Redis that does not answer: nobody is left hanging, and nothing is held for nobody. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { opened } from "../channels/new-channels.testing.ts";
import { MemoryStore } from "../memory/memory.ts";
import { createPaymentRecords } from "../rules/create-payment-records.ts";
import { createRedisGrants, type RedisClient } from "./redis.ts";
import { changeScript, insertScript } from "./scripts.ts";
import type { Access } from "../rules/payment-records.ts";

const access: Access = { proof: { token: "t" }, rule: "bound" };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const binding = { key: "a", fingerprint: "f", payload: "p", validBeforeMs: 1 };

/** A client that keeps commands until its connection is back, as that of `redis` does. */
function silentClient() {
  const waiting: { script: string; holder: string | undefined; response(reply: unknown): void }[] =
    [];
  const client: RedisClient = {
    eval: (script, { arguments: [, fields = "{}"] }) =>
      new Promise((resolve) => {
        // The holder of a new record, or the one that is expected.
        const { h }: { h?: string | [string] } = JSON.parse(fields);
        waiting.push({ script, holder: Array.isArray(h) ? h[0] : h, response: resolve });
      }),
  };
  return { client, waiting };
}

test("a payment is not taken then, and given back when it was after all", async () => {
  const { client, waiting } = silentClient();
  const acquired = createRedisGrants({ client }).acquire(binding, access);
  const refused = expect(acquired).rejects.toThrow(/did not answer/);
  await vi.advanceTimersByTimeAsync(5_000);
  await refused;
  waiting[0]?.response("inserted");
  await vi.advanceTimersByTimeAsync(0);
  expect(waiting.map(({ script }) => script)).toEqual([insertScript, changeScript]);
  expect(waiting[0]?.holder).toEqual(expect.any(String));
  expect(waiting[1]?.holder).toBe(waiting[0]?.holder);
});

test("nobody looks or waits for ever", async () => {
  const grants = createRedisGrants({ client: silentClient().client });
  const ends = [
    expect(grants.has(binding)).rejects.toThrow(/did not answer/),
    expect(grants.wait("a", 60_000)).rejects.toThrow(/did not answer/),
  ];
  await vi.advanceTimersByTimeAsync(5_000);
  await Promise.all(ends);
});

test("a lease or a channel that comes too late is given back at once", async () => {
  const store = new MemoryStore({ entriesMax: 9, totalBytesMax: 9, now: () => Date.now() });
  const { channels } = store;
  let answer: Promise<unknown> = Promise.resolve();
  const late = async <T>(done: T): Promise<T> => {
    await answer;
    return done;
  };
  const [change, changeChannel] = [store.compareAndSet.bind(store), channels.compareAndSet];
  store.compareAndSet = async (...call) => late(await change(...call));
  channels.compareAndSet = async (...call) => late(await changeChannel(...call));
  const records = createPaymentRecords(store, { replyMsMax: 5_000, leaseMs: 600_000 });
  const acquire = () => records.acquire(binding, access);
  const hold = async () => records.channels?.hold(opened().id, opened());
  const [first, held] = [await acquire(), await hold()];
  if (first.kind === "acquired") await first.lease.unlock();
  if (held?.kind === "held") await held.held.release();
  const connected = Promise.withResolvers<void>();
  answer = connected.promise;
  const ends = [acquire, hold].map((take) => expect(take()).rejects.toThrow(/did not answer/));
  await vi.advanceTimersByTimeAsync(5_000);
  await Promise.all(ends);
  connected.resolve();
  await vi.advanceTimersByTimeAsync(0);
  expect([(await acquire()).kind, (await hold())?.kind]).toEqual(["acquired", "held"]);
});
