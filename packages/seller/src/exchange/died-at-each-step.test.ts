/**
 * A process that dies at any step with its store, before or after the step has taken effect: the
 * buyer's repeat gets what he paid for, once, and nothing is charged twice.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { headerNames } from "@farthing/protocol";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { payFor } from "../buyer.testing.ts";
import { createSeller, type PaymentRecords, type Lease, type SettlementTiming } from "../index.ts";
import { listenFetch } from "../adapters/listen.testing.ts";
import { payTo } from "../scene.testing.ts";
import {
  startScriptedFacilitator,
  type ScriptedFacilitator,
} from "../scripted-facilitator.testing.ts";
import { createSqliteGrants, type SqliteGrants } from "../payment-records/sqlite/sqlite.ts";

const leaseMs = 15_000;
const route = { price: "0.01", settle: "after-success" } as const;
let folder: string;
let facilitator: ScriptedFacilitator;
let grants: SqliteGrants;
let nowMs: number;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "farthing-steps-"));
  facilitator = await startScriptedFacilitator();
  nowMs = Date.now();
  grants = createSqliteGrants({ path: join(folder, "grants.db"), leaseMs, now: () => nowMs });
});
afterEach(async () => {
  grants.close();
  await facilitator.close();
  await rm(folder, { recursive: true });
});

/** The store as a process sees it that dies at its nth step: from there on nothing is done. */
function dyingAt(nth: number, isDone: boolean) {
  let steps = 0;
  async function step<T>(work: () => Promise<T>): Promise<T> {
    steps++;
    if (steps < nth) return work();
    if (steps === nth && isDone) await work();
    throw new Error("The process has died.");
  }
  const inSteps = (lease: Lease): Lease => ({
    ...lease,
    settling: (known) => step(() => lease.settling(known)),
    paid: (receipt) => step(() => lease.paid(receipt)),
    complete: (receipt, answer) => step(() => lease.complete(receipt, answer)),
    discard: () => step(() => lease.discard()),
    unlock: () => step(() => lease.unlock()),
  });
  const store: PaymentRecords = {
    ...grants,
    acquire: (binding, access) =>
      step(async () => {
        const acquired = await grants.acquire(binding, access);
        return acquired.kind === "acquired"
          ? { ...acquired, lease: inSteps(acquired.lease) }
          : acquired;
      }),
  };
  return { store, hasDied: () => steps >= nth };
}

function openShop(settle: SettlementTiming, store: PaymentRecords) {
  const seller = createSeller({
    ...route,
    facilitator: { url: facilitator.url },
    payTo,
    settle,
    grants: store,
    publicUrl: "https://shop.example",
    onEvent: () => undefined,
  });
  return listenFetch((request) =>
    seller.charge(request, () => new Response("content")).then(({ response }) => response),
  );
}

describe.each(["before-work", "after-success"] as const)("settling %s", (settle) => {
  test.each([
    ["before", false],
    ["after", true],
  ])("a death %s each step in turn", async (_when, isDone) => {
    let hasDied = true;
    for (let nth = 1; hasDied; nth++) {
      const dying = dyingAt(nth, isDone);
      const shop = await openShop(settle, dying.store);
      const living = await openShop(settle, grants);
      try {
        const headers = await payFor(shop.url);
        const first = await fetch(shop.url, { headers });
        hasDied = dying.hasDied();
        expect(first.headers.get(headerNames.paymentRequired)).toBeNull();
        nowMs += leaseMs;
        const again = await fetch(living.url, { headers });
        expect([nth, again.status, await again.text()]).toEqual([nth, 200, "content"]);
        const opened = [first, again].filter(
          (answer) => answer.status === 200 && !answer.headers.has("X-Payment-Replayed"),
        );
        expect(opened.length).toBeLessThanOrEqual(1);
        expect(facilitator.transfers()).toBe(nth);
      } finally {
        await shop.close();
        await living.close();
      }
    }
  });
});
