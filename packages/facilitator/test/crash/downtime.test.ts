/**
 * Hours and days in which no process ran: what was on its way ends as the chain says, a queue that
 * expired and the failures of a day cost few requests, and what is paid next is not held up.
 */
import type { Devnet } from "@farthing/devnet";
import type { Hex, JsonObject } from "@farthing/protocol";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  bodyOn,
  createSteeredClock,
  finalAfterBlocks,
  frontRun,
  newDatabaseUrl,
  secondsFromNow,
  serveOn,
  startChain,
  walletAt,
  type Served,
} from "../support/facilitator.testing.ts";
import { startSkippingNode, type SkippingNode } from "@farthing/lab/rpc-proxy";
import { bothEngines } from "../stores/store-benches.testing.ts";
import type { StoreBench } from "../stores/store-values.testing.ts";

const prefer = { prefer: "respond-async" };

/** As many as one wallet has on its way at most. */
const inFlight = 8;

/** XDC makes a block every two seconds. */
const blockSeconds = 2;

/** A queue that expired meanwhile, and the failures of a day. */
const [queued, failed] = [5_000, 10_000];

/** HTTP requests that a start and the end of everything may take; one each would be 15,000. */
const requestsMax = { start: 60, all: 250 };

/** Blocks within which a new payment is told: two free a wallet and carry it, one is to spare. */
const blocksMax = 3;

/** Six times what the longest of these tests takes on a busy machine. */
const testMs = 180_000;

/** How long something may take that a busy machine does late. */
const timeouts = { timeout: 60_000, interval: 50 };

interface Ground {
  readonly devnet: Devnet;
  readonly node: SkippingNode;
  readonly clock: ReturnType<typeof createSteeredClock>;
  start(options?: { onListening(url: string): void }): Promise<Served>;
  /** Lets time pass with nobody looking. */
  pass(hours: number): Promise<void>;
}

async function prepare(wallets: readonly number[], databaseUrl: string): Promise<Ground> {
  const buyers = wallets.length * inFlight + 1;
  // No block comes unless the test makes one.
  const devnet = await startChain({ blockTimeSeconds: 86_400, buyers, relayers: wallets.length });
  onTestFinished(() => devnet.stop());
  const node = await startSkippingNode(devnet.rpcUrl);
  onTestFinished(() => node.stop());
  const clock = createSteeredClock();
  const env = { FARTHING_LANE_IN_FLIGHT: String(inFlight), FARTHING_BATCH_MAX: "1" };
  return {
    devnet,
    node,
    clock,
    async start(options) {
      node.reset();
      const terms = { rpcUrl: node.url, databaseUrl, clock, env, wallets };
      const served = await serveOn(devnet, { ...terms, ...options });
      onTestFinished(() => served.stop());
      return served;
    },
    async pass(hours) {
      const seconds = hours * 3_600;
      await node.skip(seconds / blockSeconds);
      clock.aheadMs += seconds * 1_000;
      await devnet.setNextBlockTimestamp(Number(secondsFromNow(clock.aheadMs / 1_000)));
      await devnet.mine();
    },
  };
}

/** Transactions of all wallets that wait for a block, by wallet. */
async function listPending({ devnet }: Ground): Promise<number[]> {
  const count = (address: string, block: string) =>
    devnet.rpc<Hex>("eth_getTransactionCount", [address, block]).then(Number);
  return Promise.all(
    devnet.relayers.map(
      async ({ address }) => (await count(address, "pending")) - (await count(address, "latest")),
    ),
  );
}

/** Payments that the wallets have on their way, one transaction each; all are with the node. */
async function settleInFlight(ground: Ground, served: Served): Promise<JsonObject[]> {
  const { devnet } = ground;
  const payers = devnet.buyers.slice(0, devnet.relayers.length * inFlight);
  const bodies = payers.map((payer) => bodyOn(devnet, { payer }));
  for (const body of bodies) await served.post("/settle", body, prefer);
  const full = devnet.relayers.map(() => inFlight);
  await expect.poll(() => listPending(ground), timeouts).toEqual(full);
  return bodies;
}

/**
 * Settles a payment that is made now. Blocks are made when the wallets have sent what they can, and
 * counted: how quickly the machine does its part is another matter.
 */
async function expectNextConfirmed(ground: Ground, served: Served): Promise<void> {
  const { devnet, clock } = ground;
  const validBefore = secondsFromNow(clock.aheadMs / 1_000 + 3_600);
  const payer = walletAt(devnet.buyers, devnet.relayers.length * inFlight);
  const body = bodyOn(devnet, { payer, authorization: { validBefore } });
  const { body: answer } = await served.post("/settle", body, prefer);
  const page = async () => (await served.get(`/settlements/${String(answer["id"])}`)).body;
  const isMined = async () => {
    const { transaction } = await page();
    return transaction !== "" && devnet.rpc("eth_getTransactionReceipt", [transaction]);
  };
  const isSent = async () => (await listPending(ground)).some((count) => count > 0);
  await devnet.mine();
  for (let blocks = 1; blocks < blocksMax && !(await isMined()); blocks++) {
    await expect.poll(isSent, timeouts).toBe(true);
    await devnet.mine();
  }
  expect(await isMined()).toBeTruthy();
  await expect.poll(page, timeouts).toMatchObject({ status: "confirmed" });
}

/** Searches that begin in a block of before the pause; reading one block, or the newest ones, is none. */
const searches = ({ calls }: SkippingNode, pausedAt: number) =>
  calls.filter(
    ({ method, params }) =>
      method === "eth_getLogs" && Number(Object(params[0]).fromBlock ?? Infinity) <= pausedAt,
  );

/** The numbers of a range, as a table that both databases make. */
function numbers(from: number, to: number): string {
  return `with recursive n(i) as (select ${from} union all select i + 1 from n where i < ${to})`;
}

/** Puts rows into the table as processes would have left them that ran an hour ago. */
async function fill(bench: StoreBench, { devnet, clock }: Ground): Promise<void> {
  const [payTo, token] = [devnet.seller.address, devnet.token];
  const nonce = bench.isConcurrent ? "'0x' || lpad(to_hex(i), 64, '0')" : "printf('0x%064x', i)";
  const now = clock.nowMs();
  const columns =
    "id, chain_id, asset, payer, nonce, pay_to, amount, valid_after, valid_before, signature, payer_has_code, seen_unused_at, network_name, state, created_at, failed_at, failure, failure_message";
  const pair = `'stl_' || i, 51, '${token.toLowerCase()}', '0x${"11".repeat(20)}', ${nonce}`;
  const terms = `'${payTo.toLowerCase()}', '1', '0'`;
  const expired = Math.floor(now / 1_000) - 600;
  await bench.query(
    `insert into settlements (${columns}) ${numbers(1, queued)}
     select ${pair}, ${terms}, '${expired}', '0x00', 0, 1, 'eip155:51', 'queued', ${now - 3_600_000}, null, null, null from n`,
  );
  // Every second one may still be submitted for a day.
  const ends = `case when i % 2 = 0 then '${expired}' else '${expired + 86_400}' end`;
  await bench.query(
    `insert into settlements (${columns}) ${numbers(queued + 1, queued + failed)}
     select ${pair}, ${terms}, ${ends}, '0x00', 0, 1, 'eip155:51', 'failed', ${now - 3_600_000}, ${now - 3_000_000}, 'insufficient_funds', 'm' from n`,
  );
}

describe.each(bothEngines())("%s", (_, startBench) => {
  test.each([
    ["an hour", 1],
    ["twelve hours", 12],
    ["three days", 72],
  ])(
    "after %s: healthy at once, new payments within three blocks, all ends as the chain says",
    async (_, hours) => {
      const bench = await startBench();
      onTestFinished(bench.stop);
      const ground = await prepare([0, 1], bench.databaseUrl);
      const { devnet, node } = ground;
      const before = await ground.start();
      const bodies = await settleInFlight(ground, before);
      await before.stop();
      await devnet.mine();
      const pausedAt = Number(await devnet.rpc("eth_blockNumber"));
      await ground.pass(hours);
      await fill(bench, ground);

      // The node says nothing before the service was seen to live.
      const isAlive = Promise.withResolvers<void>();
      node.gate = () => isAlive.promise;
      const served = await ground.start({
        async onListening(url) {
          const { status } = await fetch(`${url}/health`);
          if (status === 200 && node.requests <= 1) isAlive.resolve();
        },
      });
      expect(node.requests).toBeLessThanOrEqual(requestsMax.start);
      await expectNextConfirmed(ground, served);

      const answers = await Promise.all(bodies.map((body) => served.post("/settle", body)));
      expect(answers.map(({ body }) => body["status"])).toEqual(bodies.map(() => "confirmed"));
      // By the receipts of what was signed, however far back their blocks are.
      expect(searches(node, pausedAt)).toEqual([]);
      const countEnded = async () => {
        await devnet.mine(finalAfterBlocks);
        const [row] = await bench.query(
          "select count(*) as ended from settlements where failure = 'authorization_expired'",
        );
        return Number(row?.["ended"]);
      };
      await expect.poll(countEnded, { interval: 1_000 }).toBe(queued);
      const [row] = await bench.query(
        "select count(*) as open from settlements where state in ('queued', 'submitted')",
      );
      expect(Number(row?.["open"])).toBe(0);
      expect(node.requests).toBeLessThanOrEqual(requestsMax.all);
    },
    180_000,
  );
});

test(
  "a payment that somebody else submitted three days ago is found from where it was unused",
  async () => {
    const ground = await prepare([0], newDatabaseUrl());
    const { devnet, node } = ground;
    const before = await ground.start();
    const [body = {}, ...others] = await settleInFlight(ground, before);
    await before.stop();
    const hash = await frontRun(devnet, body);
    const pausedAt = Number(await devnet.rpc("eth_blockNumber"));
    await ground.pass(72);

    const served = await ground.start();
    const { body: answer } = await served.post("/settle", body);
    expect(answer).toMatchObject({ status: "confirmed", transaction: hash });
    expect(searches(node, pausedAt)).toHaveLength(1);
    for (const other of others) {
      expect((await served.post("/settle", other)).body).toMatchObject({ status: "confirmed" });
    }
    await expectNextConfirmed(ground, served);
  },
  testMs,
);

test(
  "payments that no node has any more fail once they have expired, and the wallet works on",
  async () => {
    const ground = await prepare([0], newDatabaseUrl());
    const { devnet } = ground;
    const before = await ground.start();
    const bodies = await settleInFlight(ground, before);
    await before.stop();
    await devnet.rpc("anvil_dropAllTransactions");
    await ground.pass(12);
    await devnet.mine(finalAfterBlocks);

    const served = await ground.start();
    await devnet.mine();
    const answers = await Promise.all(bodies.map((body) => served.post("/settle", body)));
    expect(answers.map(({ body }) => body["errorReason"])).toEqual(
      bodies.map(() => "authorization_expired"),
    );
    await expectNextConfirmed(ground, served);
  },
  testMs,
);
