/** A relayer wallet from which other software sends as well, which FARTHING_SHARED_WALLETS names. */
import { DatabaseSync } from "node:sqlite";
import type { Devnet } from "@farthing/devnet";
import { createLog } from "@farthing/engine/base";
import type { JsonObject } from "@farthing/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  bodyOn,
  newDatabaseUrl,
  serveOn,
  startChain,
  usesOf,
  walletAt,
  type Served,
} from "../support/facilitator.testing.ts";

let devnet: Devnet;
beforeAll(async () => {
  devnet = await startChain({ buyers: 4 });
});
afterAll(() => devnet?.stop());

const paymentOf = (buyer: number) => bodyOn(devnet, { payer: walletAt(devnet.buyers, buyer) });
const settle = async (served: Served, body: JsonObject) =>
  (await served.post("/settle", body)).body;

function countIn(databaseUrl: string): unknown {
  const file = new DatabaseSync(databaseUrl.slice("sqlite:".length));
  const found = file.prepare("select count(*) as count from settlements").get();
  file.close();
  return found?.["count"];
}

test("what the other one sent stops nothing, and is recorded only for who repeats it", async () => {
  const lines: string[] = [];
  const log = createLog("info", { write: (line) => void lines.push(line) });
  const databaseUrl = newDatabaseUrl();
  const env = { FARTHING_SHARED_WALLETS: walletAt(devnet.relayers, 0).address };
  const ours = () => serveOn(devnet, { databaseUrl, log, env });
  let served = await ours();
  expect(await settle(served, paymentOf(0))).toMatchObject({ success: true });
  await served.stop();

  const other = await serveOn(devnet, { env });
  const theirs = [paymentOf(1), paymentOf(2)];
  for (const body of theirs) expect(await settle(other, body)).toMatchObject({ success: true });
  await other.stop();

  served = await ours();
  expect(await settle(served, paymentOf(3))).toMatchObject({ success: true });
  expect(countIn(databaseUrl)).toBe(2);
  expect(lines.join("\n")).not.toMatch(/store_behind_chain|settlement_recovered/);

  const [claimed = {}] = theirs;
  const [transaction] = await usesOf(devnet, claimed);
  expect(await settle(served, claimed)).toMatchObject({ success: true, transaction });
  expect(countIn(databaseUrl)).toBe(3);
  await served.stop();
});
