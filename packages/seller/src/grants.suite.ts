/** Grants in memory: one holder at a time, bounds, and how long each thing is remembered. */
import type { SettleResponse } from "@farthing/protocol";
import { beforeEach, describe, expect, test } from "vitest";
import type { Binding, GrantStore, Lease, StoredAnswer } from "./grants.ts";
import { createMemoryGrants, replayMsMax } from "./memory-grants.ts";

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const receipt: SettleResponse = { success: true, transaction: "0x1", network: "eip155:50" };

let nowMs: number;
let grants: GrantStore;
beforeEach(() => {
  nowMs = 0;
  grants = create();
});

function create(
  bounds: { entriesMax?: number; answerBytesMax?: number; totalBytesMax?: number } = {},
) {
  return createMemoryGrants({ now: () => nowMs, ...bounds });
}

function binding(key: string, changes: Partial<Binding> = {}): Binding {
  return { key, fingerprint: "f", payload: "p", validBeforeMs: dayMs * 99, ...changes };
}

function answer(bytes: number): StoredAnswer {
  return { status: 200, headers: [], body: new Uint8Array(bytes) };
}

async function taken(key: string, changes: Partial<Binding> = {}): Promise<Lease> {
  const take = await grants.take(binding(key, changes));
  if (take.kind !== "taken") throw new Error(`The grant is ${take.kind}.`);
  return take.lease;
}

async function delivered(key: string, bytes: number, changes: Partial<Binding> = {}) {
  const lease = await taken(key, changes);
  await lease.paid(receipt);
  await lease.deliver(receipt, answer(bytes));
}

const kindOf = async (key: string, changes: Partial<Binding> = {}) =>
  (await grants.take(binding(key, changes))).kind;

describe("a grant", () => {
  test("has one holder; another envelope or request is told so", async () => {
    const lease = await taken("a");
    expect(lease.state).toBe("claimed");
    expect(await kindOf("a")).toBe("busy");
    expect(await kindOf("a", { fingerprint: "g" })).toBe("bound");
    expect(await kindOf("a", { payload: "q" })).toBe("bound");
    expect(await kindOf("b", { fingerprint: "g" })).toBe("taken");
  });

  test("keeps its state for the next holder", async () => {
    const first = await taken("a");
    await first.settling({ receipt: { ...receipt, success: false } });
    await first.leave();
    const second = await taken("a");
    expect(second).toMatchObject({ state: "settling", receipt: { success: false } });
    await second.paid(receipt);
    await second.leave();
    expect(await taken("a")).toMatchObject({ state: "paid", receipt });
  });

  test("that is released is forgotten", async () => {
    const lease = await taken("a");
    await lease.settling();
    await lease.release();
    expect((await taken("a", { fingerprint: "g" })).state).toBe("claimed");
  });

  test("listens to its holder only", async () => {
    const first = await taken("a");
    await first.leave();
    await taken("a");
    expect(await first.release()).toBe(false);
    expect(await first.deliver(receipt)).toBe(false);
    expect(await kindOf("a")).toBe("busy");
  });

  test("wakes whoever waits, whatever its end", async () => {
    for (const end of ["leave", "release", "deliver"] as const) {
      const lease = await taken(end);
      await lease.paid(receipt);
      const waiting = grants.wait(end, minuteMs);
      await (end === "deliver" ? lease.deliver(receipt) : lease[end]());
      expect(await waiting).toBe(true);
    }
    expect(await grants.wait("leave", minuteMs)).toBe(true);
    await taken("leave");
    expect(await grants.wait("leave", 1)).toBe(false);
  });

  test("does not gather waiters without end", async () => {
    const lease = await taken("a");
    const waiting = Array.from({ length: 65 }, () => grants.wait("a", minuteMs));
    expect(await waiting.at(-1)).toBe(false);
    await lease.leave();
    expect(await waiting[0]).toBe(true);
  });
});

describe("memory ends", () => {
  test("for an answer after ten minutes, for the fact after a day", async () => {
    await delivered("a", 3);
    nowMs = replayMsMax - 1;
    expect(await grants.take(binding("a"))).toMatchObject({ kind: "delivered", answer: answer(3) });
    nowMs = replayMsMax;
    expect(await grants.take(binding("a"))).toEqual({ kind: "delivered", receipt });
    nowMs = dayMs;
    expect(await kindOf("a")).toBe("taken");
  });

  test("for an answer when its authorization ends", async () => {
    await delivered("a", 3, { validBeforeMs: minuteMs });
    nowMs = minuteMs;
    const take = await grants.take(binding("a", { validBeforeMs: minuteMs }));
    expect(take).toEqual({ kind: "delivered", receipt });
  });

  test("never for an open settlement before a day, soon for a claim to content", async () => {
    const settling = await taken("settling");
    await settling.settling();
    await settling.leave();
    const paid = await taken("paid");
    await paid.paid(receipt);
    await paid.leave();
    nowMs = dayMs - 1;
    expect(await taken("settling")).toMatchObject({ state: "settling" });
    expect(await taken("paid")).toMatchObject({ state: "claimed" });
  });

  test("for the oldest delivered grant when there are too many", async () => {
    grants = create({ entriesMax: 2 });
    await taken("held");
    await delivered("a", 1);
    await delivered("b", 1);
    expect(await kindOf("b")).toBe("delivered");
    await taken("c");
    expect(await kindOf("d")).toBe("full");
    expect(await kindOf("held")).toBe("busy");
    nowMs = dayMs;
    expect(await kindOf("d")).toBe("taken");
  });

  test("for the oldest bodies when they are too large together", async () => {
    grants = create({ answerBytesMax: 6, totalBytesMax: 10 });
    await delivered("a", 5);
    await delivered("b", 5);
    await delivered("c", 3);
    await delivered("d", 7);
    const hasAnswer = async (key: string) => "answer" in (await grants.take(binding(key)));
    expect(await Promise.all(["a", "b", "c", "d"].map(hasAnswer))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });
});
