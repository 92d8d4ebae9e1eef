/**
 * What a node must offer: each row of the guide's table is looked at by the doctor, which says so
 * where a node fails it. Nodes as they are met in the wild stand in front of a local chain.
 */
import { readFileSync } from "node:fs";
import type { Devnet } from "@farthing/devnet";
import { startOrdinaryNode, type NodeConditions } from "@farthing/lab/ordinary-node";
import { isSameAddress } from "@farthing/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Clock, systemClock } from "@farthing/engine/base";
import { examine, type CheckSection } from "../../src/operations/doctor.ts";
import { environmentOn, startChain } from "../support/facilitator.testing.ts";
import { startRpcProxy, type NodeCall, type Reaction } from "@farthing/lab/rpc-proxy";

let devnet: Devnet;
beforeAll(async () => {
  devnet = await startChain({ blockTimeSeconds: 1, relayers: 1 });
  // More blocks than a short range has.
  await devnet.mine(25);
});
afterAll(() => devnet?.stop());

/** A row of the guide's table, provoked. */
interface Row {
  readonly status: "warn" | "fail";
  /** What the doctor says. */
  readonly finding: RegExp;
  /** The endpoint is an ordinary node with these. */
  readonly conditions?: NodeConditions;
  /** The endpoint changes answers like this. */
  readonly react?: (call: NodeCall) => Reaction | undefined;
  /** A second, healthy endpoint stands beside it. */
  readonly hasSecond?: boolean;
  readonly clock?: Clock;
  /** What is done to the chain, and what takes it back. */
  readonly spoil?: () => Promise<() => Promise<unknown>>;
  /** Conditions that hold from the last section on. */
  readonly conditionsUnderLoad?: NodeConditions;
}

const isLatest = ({ method, params }: NodeCall) =>
  method === "eth_getBlockByNumber" && params[0] === "latest";

/** A call of the token's `transferWithAuthorization`, and not of the reader of many payments. */
const isTransfer = ({ to, data }: { to?: unknown; data?: unknown }) =>
  to !== undefined && String(data).startsWith("0xcf092995");

const emptied = (address: () => string) => async () => {
  const code = await devnet.rpc<string>("eth_getCode", [address(), "latest"]);
  await devnet.rpc("anvil_setCode", [address(), "0x"]);
  return () => devnet.rpc("anvil_setCode", [address(), code]);
};

/** Seconds that a clock is behind. */
const behindSeconds = 60;

const rows: Readonly<Record<string, Row>> = {
  answer: {
    status: "fail",
    finding: /HTTP 401: the endpoint does not let us in/,
    conditions: { expiredKey: 401 },
  },
  "chain id": {
    status: "fail",
    finding: /the node serves chain 50, not 51/,
    react: ({ method }) => (method === "eth_chainId" ? { result: "0x32" } : undefined),
  },
  head: {
    status: "fail",
    finding: /block 1000000000 is said to be the newest, and the one before it is not there/,
    conditions: { absurd: { latest: 1e9 } },
  },
  finality: {
    status: "fail",
    finding: /block 1000000000 is said to be final, and the newest is \d+/,
    conditions: { absurd: { finalized: 1e9 } },
  },
  state: {
    status: "warn",
    finding: /the newest block, or its state, was missing in \d of 5 looks/,
    conditions: { backends: [0, 2] },
  },
  heads: {
    status: "warn",
    finding: /endpoint 0 is \d+ blocks behind the newest/,
    hasSecond: true,
    react: (call) =>
      isLatest(call) ? { rewrite: (block) => ({ ...Object(block), number: "0x5" }) } : undefined,
  },
  clock: {
    status: "fail",
    finding: /\d\d s behind block/,
    clock: { ...systemClock, nowMs: () => systemClock.nowMs() - behindSeconds * 1_000 },
  },
  batches: {
    status: "warn",
    finding: /9 calls in one request were refused, 4 are taken/,
    conditions: { batchLimit: { maxCalls: 5, style: "array_with_one_error" } },
  },
  "logs by block": {
    status: "warn",
    finding: /given by block number, and refused by block hash: .*blockHash is not supported/,
    conditions: { logs: { refusesBlockHash: true } },
  },
  "logs by range": {
    status: "warn",
    finding: /\d+ blocks at once, not 980/,
    conditions: { logs: { maxRangeBlocks: 10 } },
  },
  "payment reads": {
    status: "warn",
    finding: /an eth_call without an address is refused/,
    react: ({ method, params }) =>
      method === "eth_call" && !("to" in Object(params[0]))
        ? { error: { code: -32_602, message: "missing to" } }
        : undefined,
  },
  reverts: {
    status: "warn",
    finding: /a call that fails is answered like one that succeeds/,
    react: ({ method, params }) =>
      method === "eth_call" && isTransfer(Object(params[0])) ? { result: "0x" } : undefined,
  },
  "gas price": {
    status: "warn",
    finding: /2000 gwei asked/,
    react: ({ method }) => (method === "eth_gasPrice" ? { result: "0x1d1a94a2000" } : undefined),
  },
  addresses: {
    status: "warn",
    finding: /written as xdc/,
    react: (call) =>
      isLatest(call)
        ? { rewrite: (block) => ({ ...Object(block), miner: `xdc${"0".repeat(40)}` }) }
        : undefined,
  },
  token: {
    status: "fail",
    finding: /no contract at 0x/,
    spoil: emptied(() => devnet.token),
  },
  "domain separator": {
    status: "fail",
    finding: /0x.* instead of 0x/,
    spoil: async () => {
      await devnet.usdc.rename("USD Coin");
      return () => devnet.usdc.rename("");
    },
  },
  batching: {
    status: "warn",
    finding: /could not ask for Multicall3: /,
    react: ({ method, params }) =>
      method === "eth_call" && isSameAddress(String(Object(params[0]).to), devnet.multicall3)
        ? { error: { code: -32_603, message: "internal error" } }
        : undefined,
  },
  rate: {
    status: "fail",
    finding: /\d of 8 requests at 8 a second were refused \(rate_limited, .*it takes about 0/,
    conditions: {},
    conditionsUnderLoad: { rateLimit: { perSecond: 0.001, burst: 1, style: "json_429" } },
  },
};

/** What is said of nodes: the sections of endpoints, chain and load. */
async function lookAt(urls: readonly string[], clock: Clock, before: (title: string) => void) {
  const found: { name: string; status: string; text: string }[] = [];
  const env = environmentOn(devnet, { env: { FARTHING_RPC_51: urls.join(",") } });
  const sections: AsyncIterable<CheckSection> = examine({ env }, { clock, rateSeconds: 1 });
  for await (const { title, lines } of sections) {
    before(title);
    if (!/ (endpoint \d+ .*|chain|load)$/.test(title)) continue;
    found.push(...lines.map((line) => ({ ...line, name: line.name.replace(/ \d+$/, "") })));
  }
  return found;
}

test("the guide's table, what the doctor looks at and what is provoked here are the same", async () => {
  const urls = [devnet.rpcUrl, `${devnet.rpcUrl}/?second`];
  const found = await lookAt(urls, systemClock, () => {});
  const looked = new Set(found.map(({ name }) => name));
  expect([...looked].toSorted()).toEqual(Object.keys(rows).toSorted());
  const guide = readFileSync(
    new URL("../../../../docs/guides/run-a-facilitator.md", import.meta.url),
    "utf8",
  );
  const [, chapter = ""] = guide.split("\n## What a node must offer\n");
  const [table = ""] = chapter.split("\n## ");
  const listed = [...table.matchAll(/^\| `([^`]+)`/gm)].map(([, name]) => name ?? "");
  expect(listed.toSorted()).toEqual(Object.keys(rows).toSorted());
});

/** Most of a look is waiting for a block; what is done to the chain itself, all would see. */
const [spoiled, ordinary] = [true, false].map((isSpoiled) =>
  Object.entries(rows).filter(([, { spoil }]) => (spoil !== undefined) === isSpoiled),
);

async function expectFound(name: string, row: Row): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const restore = await row.spoil?.();
  stack.defer(async () => void (await restore?.()));
  const node = await startOrdinaryNode(devnet.rpcUrl, row.conditions ?? {});
  stack.defer(() => node.stop());
  const proxy = await startRpcProxy(devnet.rpcUrl);
  stack.defer(() => proxy.stop());
  proxy.react = row.react ?? (() => undefined);
  const first = row.react === undefined ? node.url : proxy.url;
  const urls = row.hasSecond === true ? [first, devnet.rpcUrl] : [first];
  const found = await lookAt(urls, row.clock ?? systemClock, (title) => {
    if (title.endsWith(" wallets") && row.conditionsUnderLoad) {
      node.conditions = row.conditionsUnderLoad;
    }
  });
  const said = found.filter((line) => line.name === name && line.status === row.status);
  expect(said.map(({ text }) => text).join("\n")).toMatch(row.finding);
}

describe("a node that does not offer", () => {
  test.each(spoiled ?? [])("%s", expectFound);
  test.concurrent.each(ordinary ?? [])("%s", expectFound);

  test.concurrent("logs in any way", async () => {
    const node = await startOrdinaryNode(devnet.rpcUrl, { internalErrors: ["eth_getLogs"] });
    const found = await lookAt([node.url], systemClock, () => {});
    await node.stop();
    expect(found).toContainEqual(
      expect.objectContaining({
        name: "logs by block",
        status: "fail",
        text: expect.stringContaining("eth_getLogs was refused"),
      }),
    );
  });

  test.concurrent("errors for reverts, and gives the contract's reason as the result: that is read", async () => {
    const node = await startOrdinaryNode(devnet.rpcUrl, { revertsAsResults: true });
    const found = await lookAt([node.url], systemClock, () => {});
    await node.stop();
    expect(found).toContainEqual(expect.objectContaining({ name: "reverts", status: "ok" }));
  });

  test("logs, and says that there are none", async () => {
    // Each in a block of its own.
    for (let block = 0; block < 3; block++) {
      await devnet.usdc.mint(devnet.seller.address, 1n);
      await devnet.mine();
    }
    const node = await startOrdinaryNode(devnet.rpcUrl, { logs: { areAlwaysEmpty: true } });
    const found = await lookAt([node.url], systemClock, () => {});
    await node.stop();
    expect(found).toContainEqual(
      expect.objectContaining({
        name: "logs by block",
        status: "fail",
        text: "none of 3 blocks in which the token has logs, as their headers say",
      }),
    );
  });
});
