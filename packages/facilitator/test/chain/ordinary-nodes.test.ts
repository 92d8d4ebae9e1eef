/**
 * Payments through one endpoint that is not what it should be: backends that lag, logs that are
 * refused or missing, heads that cannot be. What is paid is told, or somebody is told that it is not.
 */
import type { Devnet } from "@farthing/devnet";
import { startOrdinaryNode, type RunningNode } from "@farthing/lab/ordinary-node";
import { isHexBytes } from "@farthing/protocol";
import * as Hash from "ox/Hash";
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
} from "vitest";
import { messageOf } from "@farthing/engine/base";
import {
  bodyOn,
  countOf,
  finalAfterBlocks,
  frontRun,
  newDatabaseUrl,
  serveOn,
  startChain,
  textAt,
  type Served,
  type ServeOptions,
} from "../support/facilitator.testing.ts";
import { createHastenedClock } from "@farthing/engine/testing/hastened-clock";
import { startRpcProxy, type NodeCall, type Reaction } from "@farthing/lab/rpc-proxy";

/** A block number that no chain has. */
const absurd = 1_000_000_000;

/** Longer than anything here takes, on a machine that is busy. */
const soon = { timeout: 60_000 };

/** How fast time runs for a service that waits for something else than blocks. */
const speed = 4;

let devnet: Devnet;
let node: RunningNode;
let other: RunningNode;
let served: Served | undefined;
beforeAll(async () => {
  devnet = await startChain();
});
afterAll(async () => {
  await devnet?.stop();
});
beforeEach(async () => {
  [node, other] = await Promise.all([
    startOrdinaryNode(devnet.rpcUrl),
    startOrdinaryNode(devnet.rpcUrl),
  ]);
});
afterEach(async () => {
  await automine(true);
  await served?.stop();
  served = undefined;
  await Promise.all([node.stop(), other.stop()]);
});

const automine = (isOn: boolean) => devnet.rpc("evm_setAutomine", [isOn]);

async function serve(options: ServeOptions = {}): Promise<Served> {
  served = await serveOn(devnet, { rpcUrl: node.url, ...options });
  return served;
}

/** Settles while no block is made, and waits until the node has the transaction. */
async function settlePending({ post, relayer }: Served): Promise<string> {
  await automine(false);
  const before = await countOf(devnet, relayer);
  const { body } = await post("/settle", bodyOn(devnet), { prefer: "respond-async" });
  await expect.poll(() => countOf(devnet, relayer), soon).toBe(before + 1);
  return textAt(body, "id");
}

const pageOf = async ({ get }: Served, id: string) => (await get(`/settlements/${id}`)).body;
const untilConfirmed = (service: Served, id: string) =>
  expect.poll(async () => (await pageOf(service, id))["status"], soon).toBe("confirmed");
const readiness = async ({ get }: Served) => {
  const { status, body } = await get("/ready");
  return { status, text: JSON.stringify(body) };
};

describe("backends of one address, in turn", () => {
  test.each([
    ["one of two is two blocks behind", [0, 2]],
    ["one of three is two blocks behind", [0, 0, 2]],
  ])("%s: a payment is told without another block", async (_, backends) => {
    await devnet.mine(4);
    node.conditions = { backends };
    const service = await serve();
    const id = await settlePending(service);
    node.record.reset();
    await devnet.mine();
    await untilConfirmed(service, id);
    expect(node.record.requests()).toBeLessThan(30);
  });
});

describe("logs", () => {
  test("refused by block hash, given by number: payments are told", async () => {
    node.conditions = { logs: { refusesBlockHash: true } };
    const service = await serve();
    const { body } = await service.post("/settle", bodyOn(devnet));
    expect(body).toMatchObject({ success: true });
  });

  test("refused by block hash: what somebody else paid is told, and named", async () => {
    node.conditions = { logs: { refusesBlockHash: true } };
    const service = await serve();
    const body = bodyOn(devnet);
    const hash = await frontRun(devnet, body);
    const { body: answer } = await service.post("/settle", body);
    expect(JSON.stringify(answer)).toContain(hash);
  });

  test("refused in every way: the service does not start", async () => {
    node.conditions = { internalErrors: ["eth_getLogs"] };
    expect(await serve().then(() => "started", messageOf)).toMatch(
      /logs: eth_getLogs was refused.*use an endpoint that answers eth_getLogs/,
    );
  });

  test("empty although receipts hold some: the service does not start", async () => {
    const before = await serve();
    expect((await before.post("/settle", bodyOn(devnet))).body).toMatchObject({ success: true });
    await before.stop();
    served = undefined;
    node.conditions = { logs: { areAlwaysEmpty: true } };
    expect(await serve().then(() => "started", messageOf)).toMatch(
      /logs: the endpoint's logs lack authorizations that its receipts hold/,
    );
  });

  test.each([
    ["refused", { internalErrors: ["eth_getLogs"] }, /eth_getLogs was refused/],
    ["empty", { logs: { areAlwaysEmpty: true } }, /lack what their receipts hold/],
  ])("%s from some time on: not ready, until they come", async (_, conditions, says) => {
    const service = await serve({ clock: createHastenedClock(speed) });
    node.conditions = conditions;
    const id = await settlePending(service);
    await devnet.mine();
    await expect
      .poll(() => readiness(service), soon)
      .toMatchObject({
        status: 503,
        text: expect.stringMatching(says),
      });
    const { body: status } = await service.get("/v1/status");
    expect(status).toMatchObject({ networks: [{ readToBlock: expect.any(Number) }] });
    node.conditions = {};
    await untilConfirmed(service, id);
    await expect.poll(() => readiness(service), soon).toMatchObject({ status: 200 });
  });

  test("empty at the first of two endpoints: the second one's are read", async () => {
    const rpcUrl = `${node.url},${other.url}`;
    const service = await serve({ rpcUrl, clock: createHastenedClock(speed) });
    node.conditions = { logs: { areAlwaysEmpty: true } };
    const id = await settlePending(service);
    await devnet.mine();
    await untilConfirmed(service, id);
    await expect.poll(() => readiness(service), soon).toMatchObject({ status: 200 });
  });

  test("refused with nothing open: not ready before anybody pays", async () => {
    const clock = createHastenedClock(30);
    const service = await serve({ clock, env: { FARTHING_HEAD_AGE_MAX: "0" } });
    node.conditions = { internalErrors: ["eth_getLogs"] };
    const afterBlock = async () => {
      await devnet.mine();
      return readiness(service);
    };
    await expect.poll(afterBlock, soon).toMatchObject({
      status: 503,
      text: expect.stringMatching(/eth_getLogs was refused/),
    });
  });
});

/** Refuses to read many payments at once: they are read singly, with the newest block beside them. */
function readSinglyAtAbsurdHead({ method, params: [first] }: NodeCall): Reaction | undefined {
  if (method === "eth_getBlockByNumber" && first === "latest") {
    return { rewrite: (block) => ({ ...Object(block), number: `0x${absurd.toString(16)}` }) };
  }
  return method === "eth_call" && !("to" in Object(first))
    ? { error: { code: -32_602, message: "missing to" } }
    : undefined;
}

test("readings that end too early are read one by one", async () => {
  const proxy = await startRpcProxy(devnet.rpcUrl);
  onTestFinished(() => proxy.stop());
  const service = await serve({ rpcUrl: proxy.url });
  proxy.react = ({ method, params: [call] }) =>
    method === "eth_call" && !("to" in Object(call))
      ? { rewrite: (result) => String(result).slice(0, 2 + 64 * 5) }
      : undefined;
  expect((await service.post("/verify", bodyOn(devnet))).body).toMatchObject({ isValid: true });
});

describe("a number out of nothing", () => {
  test.each([
    ["one endpoint", () => node.url],
    ["two endpoints", () => `${node.url},${other.url}`],
  ])("for the newest block, once, %s: payments go on being told", async (_, rpcUrl) => {
    const service = await serve({ rpcUrl: rpcUrl() });
    const id = await settlePending(service);
    node.conditions = { absurd: { latest: absurd, times: 1 } };
    await devnet.mine();
    await untilConfirmed(service, id);
    const again = await settlePending(service);
    await devnet.mine();
    await untilConfirmed(service, again);
    const { body } = await service.get("/v1/status");
    expect(JSON.stringify(body)).not.toContain(String(absurd));
  });

  test("for the newest block, at the start: it is not believed then either", async () => {
    node.conditions = { absurd: { latest: absurd, times: 3 } };
    const service = await serve();
    const id = await settlePending(service);
    await devnet.mine();
    await untilConfirmed(service, id);
  });

  test("while a payment is claimed: what becomes of it later is found", async () => {
    const proxy = await startRpcProxy(devnet.rpcUrl);
    onTestFinished(() => proxy.stop());
    const databaseUrl = newDatabaseUrl();
    const before = await serve({ rpcUrl: proxy.url, databaseUrl });
    proxy.react = readSinglyAtAbsurdHead;
    await automine(false);
    const body = bodyOn(devnet);
    const { body: answer } = await before.post("/settle", body, { prefer: "respond-async" });
    expect(answer).toMatchObject({ status: "pending" });
    await before.stop();
    proxy.react = () => undefined;
    await devnet.rpc("anvil_dropAllTransactions");
    await automine(true);
    const transaction = await frontRun(devnet, body);
    const after = await serve({ rpcUrl: proxy.url, databaseUrl });
    const afterBlock = async () => {
      await devnet.mine();
      return pageOf(after, textAt(answer, "id"));
    };
    await expect.poll(afterBlock, soon).toMatchObject({ status: "confirmed", transaction });
  });

  test("for a wallet's transactions: its next nonce stays where it is", async () => {
    const proxy = await startRpcProxy(devnet.rpcUrl);
    onTestFinished(() => proxy.stop());
    let told = 0;
    proxy.react = ({ method, params: [first, place] }) => {
      // What is sent is lost: the wallet is looked at with the blocks in which it is late.
      if (method === "eth_sendRawTransaction" && isHexBytes(first, 10_000)) {
        return { result: Hash.keccak256(first) };
      }
      if (method !== "eth_getTransactionCount" || place !== "latest") return undefined;
      told++;
      return { result: `0x${absurd.toString(16)}` };
    };
    const service = await serve({ rpcUrl: proxy.url });
    const { body } = await service.post("/settle", bodyOn(devnet), { prefer: "respond-async" });
    await expect.poll(() => proxy.countOf("eth_sendRawTransaction"), soon).toBeGreaterThan(0);
    told = 0;
    const toldAfterBlock = async () => {
      await devnet.mine();
      return told;
    };
    await expect.poll(toldAfterBlock, soon).toBeGreaterThan(0);
    proxy.react = () => undefined;
    const stateAfterBlock = async () => {
      await devnet.mine();
      return (await pageOf(service, textAt(body, "id")))["status"];
    };
    await expect.poll(stateAfterBlock, soon).toBe("confirmed");
    const again = await settlePending(service);
    await devnet.mine();
    await untilConfirmed(service, again);
  });

  test("for the final block: nothing is final because of it", async () => {
    const service = await serve({ clock: createHastenedClock(speed) });
    const id = await settlePending(service);
    node.conditions = { absurd: { finalized: absurd } };
    await devnet.mine();
    await untilConfirmed(service, id);
    await devnet.mine();
    node.record.reset();
    await expect.poll(() => node.record.requests(), soon).toBeGreaterThan(3);
    expect(await pageOf(service, id)).toMatchObject({ finalized: false });
    node.conditions = {};
    const afterBlocks = async () => {
      await devnet.mine(finalAfterBlocks);
      return (await pageOf(service, id))["finalized"];
    };
    await expect.poll(afterBlocks, soon).toBe(true);
  });
});
