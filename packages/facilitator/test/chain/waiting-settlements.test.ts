/** Payments that wait for longer than blocks explain: the log says so, and the service looks at them. */
import { DatabaseSync } from "node:sqlite";
import { createLog } from "@farthing/engine/base";
import { expect, onTestFinished, test } from "vitest";
import {
  bodyOn,
  createSteeredClock,
  newDatabaseUrl,
  serveOn,
  startChain,
  textAt,
  usesOf,
  walletAt,
} from "../support/facilitator.testing.ts";

const aMinuteMs = 60_000;

test("what no transaction carries is said and settled again, without a restart", async () => {
  const devnet = await startChain({ buyers: 1 });
  onTestFinished(() => devnet.stop());
  const databaseUrl = newDatabaseUrl();
  const said: string[] = [];
  const log = createLog("warn", { write: (line: string) => void said.push(line) });
  const clock = createSteeredClock();
  const first = await serveOn(devnet, { databaseUrl });
  await devnet.rpc("evm_setAutomine", [false]);
  const body = bodyOn(devnet, { payer: walletAt(devnet.buyers, 0) });
  const { body: claimed } = await first.post("/settle", body, { prefer: "wait=1" });
  const id = textAt(claimed, "id");
  expect(claimed).toMatchObject({ status: "pending", transaction: expect.stringMatching(/^0x/) });
  await first.stop();
  const served = await serveOn(devnet, { databaseUrl, wallets: [1], log, clock });
  onTestFinished(() => served.stop());
  // The row says that the nonce is done with, and no node has the transaction.
  const database = new DatabaseSync(databaseUrl.slice("sqlite:".length));
  database.exec("update relayer_transactions set state = 'mined'");
  database.close();
  await devnet.rpc("anvil_dropAllTransactions", []);

  clock.aheadMs = aMinuteMs + 1_000;
  const statusNow = async () => {
    await devnet.mine();
    return (await served.get(`/settlements/${id}`)).body["status"];
  };
  await expect.poll(statusNow, { interval: 200 }).toBe("confirmed");
  expect(said.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({
      event: "settlements_waiting",
      settlements: 1,
      submitted: 1,
      settlementId: id,
    }),
  );
  expect(await usesOf(devnet, body)).toHaveLength(1);
});
