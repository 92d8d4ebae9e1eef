/** What is removed of webhook deliveries: in groups, exported first where there is a folder for it. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { silentLog } from "@farthing/engine/base";
import type { WebhookDelivery } from "./model.ts";
import { startRemoval } from "../../operations/remove-old.ts";
import type { Retention } from "../../config/retention.ts";

const dayMs = 24 * 60 * 60_000;
const nowMs = 1_000 * dayMs;

const deliveryOf = (number: number): WebhookDelivery => ({
  id: `evt_${number}`,
  endpointId: "whe_1",
  account: `0x${"33".repeat(20)}`,
  type: "settlement.confirmed",
  body: '{"type":"settlement.confirmed"}',
  state: "delivered",
  attempts: 1,
  nextAt: 1,
  lastStatus: 200,
  lastError: null,
  createdAt: 1,
  deliveredAt: 2,
});

/** Removes from so many old deliveries until a pass is over; what each group asked for. */
async function removeFrom(count: number, retention: Retention | undefined) {
  let left = count;
  const groups: { readonly madeBefore: number; readonly removed: number }[] = [];
  const isOver = Promise.withResolvers<void>();
  const removal = startRemoval({
    engines: new Map(),
    retention,
    log: silentLog,
    clock: {
      nowMs: () => nowMs,
      sleep: async () => {
        await new Promise((resolve) => setImmediate(resolve));
      },
    },
    store: {
      pruneSignedBytes: async () => 0,
      pruneSettlements: async () => ({ removed: 0, next: null }),
      async removeDeliveries(madeBefore, limit, onRemoval) {
        const removed = Math.min(left, limit);
        await onRemoval(Array.from({ length: removed }, (_, index) => deliveryOf(left - index)));
        left -= removed;
        groups.push({ madeBefore, removed });
        if (left === 0) isOver.resolve();
        return removed;
      },
    },
  });
  await isOver.promise;
  await removal.stop();
  return groups;
}

test("old deliveries are removed in small groups until none is left, after 30 days", async () => {
  const groups = await removeFrom(50_000, undefined);
  expect(groups.slice(0, 100).map(({ removed }) => removed)).toEqual(Array(100).fill(500));
  expect(groups[0]?.madeBefore).toBe(nowMs - 30 * dayMs);
});

test("with a setting they are kept as long as settlements, and exported first", async () => {
  const folder = mkdtempSync(join(tmpdir(), "farthing-removed-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const groups = await removeFrom(700, { days: 400, folder });
  expect(groups[0]?.madeBefore).toBe(nowMs - 400 * dayMs);
  const [name = "", ...others] = readdirSync(folder);
  expect([name, others]).toEqual([expect.stringMatching(/^deliveries-.*\.ndjson$/), []]);
  const lines = readFileSync(join(folder, name), "utf8").trimEnd().split("\n");
  expect(lines).toHaveLength(700);
  expect(JSON.parse(lines[0] ?? "")).toEqual({ delivery: deliveryOf(700) });
});
