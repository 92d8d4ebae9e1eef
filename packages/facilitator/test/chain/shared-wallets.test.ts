/**
 * Facilitators that share a PostgreSQL database and its wallets: each works its share, one that
 * comes gets its own while the others serve on, and what is claimed where there is no wallet is
 * carried elsewhere.
 */
import type { Devnet } from "@farthing/devnet";
import { networkOfChain, type JsonObject } from "@farthing/protocol";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  bodyOn,
  countOf,
  serveOn,
  startChain,
  usesOf,
  walletAt,
  type Answer,
  type Served,
} from "../support/facilitator.testing.ts";
import { startPostgres, type TestPostgres } from "@farthing/engine/source/storage/postgres.testing";
import { inspectStore } from "@farthing/engine/storage";

let devnet: Devnet;
let server: TestPostgres;
beforeAll(async () => {
  [devnet, server] = await Promise.all([
    startChain({ blockTimeSeconds: 1, buyers: 12, relayers: 6 }),
    startPostgres(),
  ]);
});
afterAll(async () => {
  await server?.stop();
  await devnet?.stop();
});

const running: Served[] = [];
/** Ends what presses on, also when the test fails. */
const endings: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(endings.splice(0).map((end) => end()));
  await Promise.all(running.splice(0).map((served) => served.stop()));
});

async function join(
  databaseUrl: string,
  wallets: readonly number[],
  env: Readonly<Record<string, string>> = {},
): Promise<Served> {
  const served = await serveOn(devnet, { databaseUrl, wallets, env });
  running.push(served);
  return served;
}

async function leave(served: Served): Promise<void> {
  running.splice(running.indexOf(served), 1);
  await served.stop();
}

/** How many wallets each process works, most first. */
async function sharesIn(databaseUrl: string): Promise<number[]> {
  const { wallets } = await inspectStore(databaseUrl, Date.now());
  const holders = Map.groupBy(wallets, ({ holder }) => holder ?? "nobody");
  return [...holders.values()].map((held) => held.length).toSorted((one, other) => other - one);
}

/** Long enough for a few looks at the wallets, one a second, and for what is on its way. */
const soon = { timeout: 60_000, interval: 100 };

const untilShared = (databaseUrl: string, shares: readonly number[]) =>
  expect.poll(() => sharesIn(databaseUrl), soon).toEqual(shares);

/** Every payer pays again and again, at one facilitator after the other, until it is told to end. */
function pressOn(served: readonly Served[]) {
  const over = new AbortController();
  const paid: { readonly body: JsonObject; readonly answer: Answer }[] = [];
  const paying = devnet.buyers.map(async (payer, index) => {
    for (let turn = index; !over.signal.aborted; turn++) {
      const body = bodyOn(devnet, { payer });
      const answer = await served[turn % served.length]?.post("/settle", body);
      if (answer) paid.push({ body, answer });
    }
  });
  const end = async () => {
    over.abort();
    await Promise.all(paying);
  };
  endings.push(end);
  return { paid, end };
}

/** Every payment confirmed, each used once, and as many transactions as were mined: none twice. */
async function expectAllPaid(paid: ReturnType<typeof pressOn>["paid"]): Promise<void> {
  expect(paid.length).toBeGreaterThan(0);
  for (const { body, answer } of paid) {
    expect(answer.body).toMatchObject({ success: true, status: "confirmed" });
    expect(await usesOf(devnet, body)).toEqual([answer.body["transaction"]]);
  }
}

async function expectNoGaps(wallets: readonly number[]): Promise<void> {
  for (const index of wallets) {
    const { address } = walletAt(devnet.relayers, index);
    const mined = Number(await devnet.rpc("eth_getTransactionCount", [address, "latest"]));
    expect(await countOf(devnet, address)).toBe(mined);
  }
}

describe("as many wallets as processes, or more", () => {
  const wallets = [0, 1, 2, 3];

  test("each works its share, also one that comes or goes under load; nothing is lost", async () => {
    const databaseUrl = await server.createDatabase();
    const first = await join(databaseUrl, wallets);
    await untilShared(databaseUrl, [4]);
    const load = pressOn(running);

    const second = await join(databaseUrl, wallets);
    await untilShared(databaseUrl, [2, 2]);
    expect((await first.get("/ready")).status).toBe(200);
    await join(databaseUrl, wallets);
    await untilShared(databaseUrl, [2, 1, 1]);

    await load.end();
    await leave(second);
    await untilShared(databaseUrl, [2, 2]);
    await expectAllPaid(load.paid);
    await expectNoGaps(wallets);
  });
});

describe("fewer wallets than processes", () => {
  test("who has none answers all the same, and others carry what it claims", async () => {
    const databaseUrl = await server.createDatabase();
    await join(databaseUrl, [4]);
    const without = await join(databaseUrl, [4]);
    const { body: status } = await without.get("/v1/status");
    expect(status["networks"]).toMatchObject([
      { network: networkOfChain(devnet.chainId).id, lanesUsable: 0, lanesElsewhere: 1 },
    ]);
    expect((await without.get("/ready")).status).toBe(200);
    const load = pressOn([without]);
    await expect.poll(() => load.paid.length, soon).toBeGreaterThan(devnet.buyers.length);
    await load.end();
    await expectAllPaid(load.paid);
  });

  test("who has one has more to do than it can: others are served beside", async () => {
    const databaseUrl = await server.createDatabase();
    // Ten payments a block, and twelve payers at each.
    const env = { FARTHING_BATCH_MAX: "1", FARTHING_LANE_IN_FLIGHT: "10" };
    const [owner, without] = [await join(databaseUrl, [5], env), await join(databaseUrl, [5], env)];
    const busy = pressOn([owner]);
    const served = pressOn([without]);
    await expect.poll(() => served.paid.length, soon).toBeGreaterThan(devnet.buyers.length);
    await Promise.all([busy.end(), served.end()]);
    await expectAllPaid([...busy.paid, ...served.paid]);
  });
});
