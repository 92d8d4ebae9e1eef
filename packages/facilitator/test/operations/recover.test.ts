/** `farthing recover`: payments that the database has lost, and that a start cannot know of. */
import { DatabaseSync } from "node:sqlite";
import type { CheckSection } from "../../src/operations/doctor.ts";
import { recoverLost } from "../../src/operations/recover.ts";
import type { Since } from "@farthing/engine";
import { expect, onTestFinished, test } from "vitest";
import {
  bodyOn,
  environmentOn,
  newDatabaseUrl,
  serveOn,
  startChain,
  textAt,
  walletAt,
} from "../support/facilitator.testing.ts";

const idSecret = { FARTHING_ID_SECRET: "0f".repeat(32) };

async function gather(sections: AsyncIterable<CheckSection>): Promise<string[]> {
  const lines: string[] = [];
  for await (const section of sections) {
    for (const { status, name, text } of section.lines) lines.push(`${status} ${name}: ${text}`);
  }
  return lines;
}

test("a new database whose wallets were used before has their payments again, under their ids", async () => {
  const devnet = await startChain({ buyers: 2 });
  onTestFinished(() => devnet.stop());
  const before = await serveOn(devnet, { env: idSecret });
  const bodies = [0, 1].map((index) => bodyOn(devnet, { payer: walletAt(devnet.buyers, index) }));
  const told = [];
  for (const body of bodies) told.push((await before.post("/settle", body)).body);
  await before.stop();

  const databaseUrl = newDatabaseUrl();
  const served = await serveOn(devnet, { databaseUrl, env: idSecret });
  onTestFinished(() => served.stop());
  const ids = told.map((answer) => textAt(answer, "id"));
  const statuses = () =>
    Promise.all(ids.map(async (id) => (await served.get(`/settlements/${id}`)).body["status"]));
  expect(await statuses()).toEqual([undefined, undefined]);

  const env = environmentOn(devnet, { databaseUrl, env: idSecret });
  const recover = (since: Since) => gather(recoverLost({ env, since }));
  const head = Number(await devnet.rpc("eth_blockNumber"));
  expect(await recover({ block: 0 })).toEqual([
    `ok read: blocks 0 to ${head}`,
    "warn recorded: 2 payments that the database lost",
  ]);
  await expect.poll(statuses).toEqual(["confirmed", "confirmed"]);
  for (const [index, id] of ids.entries()) {
    const { body } = await served.get(`/settlements/${id}`);
    expect(body["transaction"]).toBe(told[index]?.["transaction"]);
  }
  // Whoever runs it again records nothing twice.
  expect(await recover({ seconds: 0n })).toEqual([
    `ok read: blocks 0 to ${head}`,
    "ok recorded: the database has lost none of them",
  ]);
  expect(await recover({ block: head + 1_000 })).toEqual([
    `fail read: nothing: block ${head + 1_000} is not there yet, the newest is ${head}`,
  ]);
  const database = new DatabaseSync(databaseUrl.slice("sqlite:".length));
  expect(database.prepare("select count(*) as count from settlements").get()).toEqual({ count: 2 });
  // A copy of the database may call failed what the wallet has paid since.
  database
    .prepare(
      `update settlements set state = 'failed', failure = 'insufficient_funds', failure_message = '',
         failed_at = 1, confirmed_at = null, finalized_at = null, settled_by = null,
         block_number = null, block_hash = null, log_index = null where id = ?`,
    )
    .run(ids[0] ?? "");
  database.close();
  expect(await statuses()).toEqual(["failed", "confirmed"]);
  await recover({ block: 0 });
  await expect.poll(statuses).toEqual(["confirmed", "confirmed"]);
});

test("a setting that is wrong is named, and nothing is thrown", async () => {
  const lines = await gather(recoverLost({ env: {}, since: { block: 1 } }));
  expect(lines).toEqual([expect.stringMatching(/^fail stopped: .*FARTHING_RPC_/)]);
});
