/**
 * Hours and days in which no process ran: what was on its way ends as the chain says, and what is
 * paid next is not held up by it.
 */
import type { Devnet } from "@farthing/devnet";
import type { JsonObject } from "@farthing/protocol";
import { expect, onTestFinished, test } from "vitest";
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
} from "./facilitator.testing.ts";
import { startSkippingNode, type SkippingNode } from "./skipped-blocks.testing.ts";

const prefer = { prefer: "respond-async" };

/** As many as one wallet has on its way at most. */
const inFlight = 8;

/** XDC makes a block every two seconds. */
const blockSeconds = 2;

interface Ground {
  readonly devnet: Devnet;
  readonly node: SkippingNode;
  readonly clock: ReturnType<typeof createSteeredClock>;
  readonly databaseUrl: string;
  start(): Promise<Served>;
  /** Lets time pass with nobody looking. */
  pass(hours: number): Promise<void>;
}

async function prepare(): Promise<Ground> {
  // No block comes unless the test makes one.
  const devnet = await startChain({ blockTimeSeconds: 86_400, buyers: inFlight + 2 });
  onTestFinished(() => devnet.stop());
  const node = await startSkippingNode(devnet.rpcUrl);
  onTestFinished(() => node.stop());
  const clock = createSteeredClock();
  const databaseUrl = newDatabaseUrl();
  const env = { FARTHING_LANE_IN_FLIGHT: String(inFlight), FARTHING_BATCH_MAX: "1" };
  return {
    devnet,
    node,
    clock,
    databaseUrl,
    async start() {
      node.reset();
      const served = await serveOn(devnet, { rpcUrl: node.url, databaseUrl, clock, env });
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

/** Payments that a wallet has on its way, one transaction each. */
async function settleInFlight({ devnet }: Ground, served: Served): Promise<JsonObject[]> {
  const bodies = Array.from({ length: inFlight }, (_, index) =>
    bodyOn(devnet, { payer: walletAt(devnet.buyers, index) }),
  );
  for (const body of bodies) {
    const { body: answer } = await served.post("/settle", body, prefer);
    expect(answer).toMatchObject({ transaction: expect.stringMatching(/^0x/) });
  }
  return bodies;
}

/** Settles a payment that is made now: it is sent after the next block, and told with the one after. */
async function expectNextConfirmed({ devnet, clock }: Ground, served: Served): Promise<void> {
  const validBefore = secondsFromNow(clock.aheadMs / 1_000 + 3_600);
  const payer = walletAt(devnet.buyers, inFlight);
  const body = bodyOn(devnet, { payer, authorization: { validBefore } });
  const { body: answer } = await served.post("/settle", body, prefer);
  await devnet.mine();
  const page = (wait: number) => served.get(`/settlements/${String(answer["id"])}?wait=${wait}`);
  const transaction = async () => (await page(0)).body["transaction"];
  await expect.poll(transaction, { timeout: 10_000 }).toMatch(/^0x/);
  await devnet.mine();
  expect((await page(20)).body).toMatchObject({ status: "confirmed" });
}

/** Searches through the chain; reading one block is none. */
const searches = ({ calls }: SkippingNode) =>
  calls.filter(({ method, params }) => method === "eth_getLogs" && "fromBlock" in Object(params[0]))
    .length;

test.each([
  ["an hour", 1],
  ["twelve hours", 12],
  ["three days", 72],
])("payments in flight are told after %s of downtime", async (_, hours) => {
  const ground = await prepare();
  const { devnet, node } = ground;
  const before = await ground.start();
  const bodies = await settleInFlight(ground, before);
  await before.stop();
  await devnet.mine();
  await ground.pass(hours);

  const served = await ground.start();
  const answers = await Promise.all(bodies.map((body) => served.post("/settle", body)));
  expect(answers.map(({ body }) => body["status"])).toEqual(bodies.map(() => "confirmed"));
  // By the receipts of what was signed, however far back their blocks are.
  expect(searches(node)).toBe(0);
  await expectNextConfirmed(ground, served);
});

test("a payment that somebody else submitted three days ago is found from where it was unused", async () => {
  const ground = await prepare();
  const { devnet, node } = ground;
  const before = await ground.start();
  const [body = {}, ...others] = await settleInFlight(ground, before);
  await before.stop();
  const hash = await frontRun(devnet, body);
  await ground.pass(72);

  const served = await ground.start();
  const { body: answer } = await served.post("/settle", body);
  expect(answer).toMatchObject({ status: "confirmed", transaction: hash });
  expect(searches(node)).toBe(1);
  for (const other of others) {
    expect((await served.post("/settle", other)).body).toMatchObject({ status: "confirmed" });
  }
  await expectNextConfirmed(ground, served);
});

test("payments that no node has any more fail once they have expired, and the wallet works on", async () => {
  const ground = await prepare();
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
});
