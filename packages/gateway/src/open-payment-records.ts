import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { createMemoryGrants } from "@farthing/seller";
import { createSqliteGrants } from "@farthing/seller/sqlite";
import type { GatewayConfig } from "./configuration/configuration.ts";

/** Opens the configured store of payment records. Throws when its file cannot be used. */
export function openPaymentRecords({ store, replay }: Pick<GatewayConfig, "store" | "replay">) {
  const bounds = {
    answerBytesMax: replay.entryBytesMax,
    totalBytesMax: replay.totalBytesMax,
    replayMs: replay.ttlMs,
  };
  if (store.kind === "memory") return { ...createMemoryGrants(bounds), close: () => undefined };
  // For its owner only, because it contains paid responses.
  mkdirSync(dirname(store.path), { recursive: true, mode: 0o700 });
  return createSqliteGrants({ ...bounds, path: store.path });
}
