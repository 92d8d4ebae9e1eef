/** Puts a database back to an earlier state, as a failover or the restoration of a backup does. */
import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { Devnet } from "@farthing/devnet";
import { networkOfChain, refundNonce, type JsonObject } from "@farthing/protocol";
import { expect } from "vitest";
import { bodyOn, payerAndNonceOf, type Answer, type Served } from "./facilitator.testing.ts";

/** The tables of a settlement without an account, from those that refer to others on. */
export const settlementTables = [
  "transaction_settlements",
  "settlement_claims",
  "refunds",
  "relayer_transactions",
  "settlements",
  "lanes",
] as const;

function openFile(databaseUrl: string): DatabaseSync {
  const file = new DatabaseSync(databaseUrl.replace("sqlite:", ""));
  file.exec("PRAGMA busy_timeout = 5000");
  return file;
}

interface LossOptions {
  /** Keeps the wallets' next nonces, so that no look at the leases shows the service its loss. */
  readonly isHidden?: boolean;
}

/** Returns what puts a SQLite database back to how it is now, while the service runs. */
export function rememberIn(
  databaseUrl: string,
  { isHidden = false }: LossOptions = {},
): () => void {
  const before = openFile(databaseUrl);
  const tables = settlementTables.filter((name) => !isHidden || name !== "lanes");
  const rows = new Map(
    tables.map((name) => [name, before.prepare(`select * from ${name}`).all()] as const),
  );
  before.close();
  return () => {
    const now = openFile(databaseUrl);
    now.exec("PRAGMA foreign_keys = off; begin immediate");
    for (const name of tables) {
      now.exec(`delete from ${name}`);
      for (const row of rows.get(name) ?? []) {
        const names = Object.keys(row);
        const marks = names.map(() => "?").join(", ");
        now
          .prepare(`insert into ${name} (${names.join(", ")}) values (${marks})`)
          .run(...Object.values(row));
      }
    }
    now.exec("commit");
    now.close();
  };
}

/** Copies a SQLite database as a backup does; returns what restores it while no process has it open. */
export function backUp(databaseUrl: string): () => void {
  const path = databaseUrl.replace("sqlite:", "");
  const copy = `${path}.${randomUUID()}`;
  const file = openFile(databaseUrl);
  file.prepare("vacuum into ?").run(copy);
  file.close();
  return () => {
    for (const end of ["", "-wal", "-shm"]) rmSync(`${path}${end}`, { force: true });
    const old = openFile(`sqlite:${copy}`);
    old.prepare("vacuum into ?").run(path);
    old.close();
    rmSync(copy);
  };
}

/** Settles as callers do: repeats the request while the service looks for what its database has lost. */
export async function settleEvaluated(served: Served, body: JsonObject): Promise<JsonObject> {
  let answer: Answer | undefined;
  const status = async () => (answer = await served.post("/settle", body)).status;
  await expect.poll(status, { interval: 100 }).not.toBe(503);
  return answer?.body ?? {};
}

/** The refund of a payment, as its payee would sign it; presented to a shop of its recipient. */
export function refundOf(devnet: Devnet, paid: JsonObject): JsonObject {
  const { payer, nonce } = payerAndNonceOf(paid);
  const { chainId, usdc: asset } = networkOfChain(devnet.chainId);
  return bodyOn(devnet, {
    payer: devnet.seller,
    authorization: { to: payer, nonce: refundNonce({ chainId, asset, payer, nonce }, 0) },
  });
}
