/** A relayer wallet that is taken out of the configuration while its transactions carry payments. */
import { expect, onTestFinished, test } from "vitest";
import { createLog } from "@farthing/engine/base";
import {
  bodyOn,
  finalAfterBlocks,
  newDatabaseUrl,
  serveOn,
  startChain,
  usesOf,
  walletAt,
  type Served,
} from "../support/facilitator.testing.ts";
import { untilSent } from "../support/settlement-transactions.testing.ts";
import { createHastenedClock } from "@farthing/engine/testing/hastened-clock";
import { openStore } from "../../src/features/open-store.ts";

const prefer = { prefer: "respond-async" };

/** Two payments on their way in a wallet that the next process is not configured with. */
async function leaveBehind() {
  const devnet = await startChain({ blockTimeSeconds: 86_400 });
  onTestFinished(() => devnet.stop());
  const databaseUrl = newDatabaseUrl();
  const env = { FARTHING_BATCH_MAX: "1" };
  const before = await serveOn(devnet, { databaseUrl, wallets: [0], env });
  const bodies = [0, 1].map((index) => bodyOn(devnet, { payer: walletAt(devnet.buyers, index) }));
  const hashes: unknown[] = [];
  for (const body of bodies) {
    hashes.push(await untilSent(before, (await before.post("/settle", body, prefer)).body));
  }
  await before.stop();
  // No node has them any more.
  await devnet.rpc("anvil_dropAllTransactions");
  const said: string[] = [];
  const log = createLog("info", { write: (line: string) => void said.push(line) });
  async function start(): Promise<Served> {
    // Wallets that were left behind are looked at every ten seconds.
    const clock = createHastenedClock(4);
    const served = await serveOn(devnet, { databaseUrl, wallets: [1], env, log, clock });
    onTestFinished(() => served.stop());
    return served;
  }
  return { devnet, databaseUrl, bodies, hashes, said, start };
}

/** Makes blocks until a payment has its outcome. */
async function outcomeOf(
  { devnet }: Awaited<ReturnType<typeof leaveBehind>>,
  served: Served,
  body: ReturnType<typeof bodyOn>,
) {
  const status = async () => {
    await devnet.mine();
    return (await served.post("/settle", body, prefer)).body["status"];
  };
  await expect.poll(status, { interval: 500 }).toEqual(expect.stringMatching(/confirmed|failed/));
  return (await served.post("/settle", body)).body;
}

test("its signed bytes are sent again by whoever runs, and the start says so", async () => {
  const left = await leaveBehind();
  const { devnet, databaseUrl, bodies, hashes, said } = left;
  const served = await left.start();
  for (const [index, body] of bodies.entries()) {
    const outcome = await outcomeOf(left, served, body);
    expect(outcome).toMatchObject({ status: "confirmed", transaction: hashes[index] });
    expect(await usesOf(devnet, body)).toEqual([hashes[index]]);
  }
  const warnings = said.filter((line) => line.includes('"wallet_left_behind"'));
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain('"settlements":2');
  const store = await openStore(databaseUrl);
  onTestFinished(() => store.close());
  expect(await store.listCarryingWallets(devnet.chainId, Date.now())).toEqual([]);
});

test("one that reverts is told as failed, with its reason", async () => {
  const left = await leaveBehind();
  const { devnet, bodies } = left;
  await devnet.usdc.setBalance(walletAt(devnet.buyers, 0).address, 0n);
  const served = await left.start();
  const [body = {}, other = {}] = bodies;
  expect(await outcomeOf(left, served, other)).toMatchObject({ status: "confirmed" });
  await devnet.mine(finalAfterBlocks);
  const outcome = await outcomeOf(left, served, body);
  expect(outcome).toMatchObject({ status: "failed", errorReason: "insufficient_funds" });
});
