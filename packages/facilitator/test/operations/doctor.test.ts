/** The doctor on a local chain: what is well is called so, every illness is found and named. */
import { createServer } from "node:http";
import { DatabaseSync } from "node:sqlite";
import type { Devnet } from "@farthing/devnet";
import { isObject } from "@farthing/protocol";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { type CheckStatus, type Clock, systemClock } from "@farthing/engine/base";
import { readConfig } from "../../src/config/config.ts";
import { examine, type CheckSection } from "../../src/operations/doctor.ts";
import { checkCollector } from "../../src/operations/doctor-traces.ts";
import {
  bodyOn,
  environmentOn,
  newDatabaseUrl,
  serveOn,
  startChain,
} from "../support/facilitator.testing.ts";
import { batcherCode } from "@farthing/engine/source/chain/contracts/generated/batcher";
import { batcher } from "../support/batch-contract.testing.ts";
import { startRpcProxy, type NodeCall, type RpcProxy } from "@farthing/lab/rpc-proxy";

let devnet: Devnet;
let proxy: RpcProxy;
let other: RpcProxy;
beforeAll(async () => {
  devnet = await startChain({ blockTimeSeconds: 1, relayers: 3 });
  [proxy, other] = await Promise.all([startRpcProxy(devnet.rpcUrl), startRpcProxy(devnet.rpcUrl)]);
});
afterAll(async () => {
  await proxy?.stop();
  await other?.stop();
  await devnet?.stop();
});
afterEach(() => {
  proxy.react = () => undefined;
  other.react = () => undefined;
});

const network = "eip155:51";
const pathSecret = "/v2/path-of-a-provider";
const querySecret = "?apikey=of-a-provider";

/** The proxies' addresses as a provider would have them. */
const urls = () => `${proxy.url}${pathSecret},${other.url}/${querySecret}`;

/** Of one request an endpoint. */
const rateSeconds = 0.1;

async function look(env: Readonly<Record<string, string>> = {}, clock: Clock = systemClock) {
  const all = environmentOn(devnet, { env: { FARTHING_RATE_LIMIT: "500", ...env } });
  const sections: CheckSection[] = [];
  const source = { env: { ...all, FARTHING_RPC_51: env["FARTHING_RPC_51"] ?? urls() } };
  for await (const section of examine(source, { clock, rateSeconds })) sections.push(section);
  return sections;
}

function of(sections: readonly CheckSection[], status: CheckStatus): string[] {
  return sections.flatMap(({ title, lines }) =>
    lines
      .filter((line) => line.status === status)
      .map(({ name, text, fix }) => `${title}: ${name}: ${text} → ${fix}`),
  );
}

const pathOf = (call: NodeCall) => call.params[0];

const old = (block: unknown) => ({ ...Object(block), timestamp: "0x65000000" });

const behind = (block: unknown) =>
  isObject(block) && {
    ...block,
    number: `0x${Math.max(0, Number(block["number"]) - 20).toString(16)}`,
  };

const miner = (block: unknown) => ({ ...Object(block), miner: `xdc${"0".repeat(40)}` });

const withPending = (call: NodeCall) =>
  call.method === "eth_getTransactionCount" && call.params[1] === "pending"
    ? { result: "0x7" }
    : undefined;

test("all is well: every part is named, nothing is wrong", async () => {
  const sections = await look();
  expect(of(sections, "fail")).toEqual([]);
  // A node on a busy machine may be slow, and the doctor says so.
  expect(of(sections, "warn").filter((line) => !line.includes("answer: takes"))).toEqual([]);
  expect(sections.map(({ title }) => title.replace(/:\d+\)/, ")"))).toEqual([
    "configuration",
    "database",
    `${network} endpoint 0 (127.0.0.1)`,
    `${network} endpoint 1 (127.0.0.1)`,
    `${network} chain`,
    `${network} costs`,
    `${network} wallets`,
    `${network} load`,
  ]);
  const lines = of(sections, "ok").join("\n");
  expect(lines).toMatch(/token: "USDC" version "2", 6 decimals/);
  expect(lines).toMatch(
    /wallet 0: 0x\w{40} holds 100 XDC, gas for about 88,888 settlements at 12\.5 gwei/,
  );
});

async function askCollector(port: number, token: string) {
  const OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${port}/path-of-a-collector`;
  const OTEL_EXPORTER_OTLP_HEADERS = `authorization=Bearer%20${token}`;
  const env = {
    ...environmentOn(devnet),
    OTEL_EXPORTER_OTLP_ENDPOINT,
    OTEL_EXPORTER_OTLP_HEADERS,
  };
  return checkCollector(readConfig({ env }).traces);
}

test("the collector of traces: whether it takes them, and nothing of its address or headers", async () => {
  const collector = createServer((request, response) => {
    response.statusCode = request.headers["authorization"] === "Bearer right" ? 200 : 401;
    response.end("{}");
  });
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void collector.close());
  const address = collector.address();
  if (address === null || typeof address === "string") throw new Error("It does not listen.");
  expect(await checkCollector(undefined)).toEqual([]);
  expect(await askCollector(address.port, "right")).toMatchObject([
    { status: "ok", name: "traces" },
  ]);
  const refused = await askCollector(address.port, "wrong");
  expect(refused).toMatchObject([{ status: "fail", text: "the collector responds with HTTP 401" }]);
  const away = await askCollector(9, "right");
  expect(away).toMatchObject([{ status: "warn", text: "the collector does not answer" }]);
  expect(JSON.stringify([refused, away])).not.toMatch(/path-of-a-collector|wrong|right/);
});

test("sends nothing and leaves no database behind", async () => {
  proxy.reset();
  const databaseUrl = newDatabaseUrl();
  await look({ DATABASE_URL: databaseUrl });
  expect(proxy.countOf("eth_sendRawTransaction")).toBe(0);
  expect(of(await look({ DATABASE_URL: databaseUrl }), "ok").join("\n")).toContain("none yet");
});

test("shows nothing of a URL but its host, of a wallet but its address", async () => {
  proxy.react = () => ({ error: { code: -32_000, message: `no plan for ${urls()}` } });
  const env = { DATABASE_URL: "postgres://me:a-password@127.0.0.1:9/farthing" };
  const text = JSON.stringify(await look(env));
  const { FARTHING_RELAYER_KEYS: key } = environmentOn(devnet);
  for (const secret of [pathSecret, querySecret, "a-password", key, key.slice(2)]) {
    expect(text).not.toContain(secret);
  }
  expect(text).toContain("127.0.0.1:9/farthing");
});

describe("what must be fixed", () => {
  test.each([
    ["a setting that is none", { FARTHING_PROT: "1" }, /setting: FARTHING_PROT is no setting/],
    ["no network", { FARTHING_RPC_51: "" }, /setting: No network is configured/],
    [
      "a node that is not there",
      { FARTHING_RPC_51: "http://127.0.0.1:9" },
      /endpoint 0 \(127\.0\.0\.1:9\): answer: no answer .* → check entry 1 of FARTHING_RPC_51/,
    ],
    [
      "a wallet without gas money",
      { FARTHING_RELAYER_KEYS: `0x${"31".repeat(32)}` },
      /wallets: wallet 0: 0x\w{40} holds 0 XDC, .* → send it XDC/,
    ],
    [
      "a mnemonic with a mistyped word",
      { FARTHING_RELAYER_KEYS: "", FARTHING_RELAYER_MNEMONIC: "test ".repeat(12).trim() },
      /configuration: wallets: FARTHING_RELAYER_MNEMONIC is not a BIP-39 mnemonic/,
    ],
    [
      "a database that is not there",
      { DATABASE_URL: "postgres://me:pw@127.0.0.1:9/farthing" },
      /database: reachable: .*nothing listens there/,
    ],
    [
      "a folder that is not there",
      { DATABASE_URL: "sqlite:/no/such/folder/farthing.db" },
      /database: reachable: .*no such folder/,
    ],
  ] as const)("%s", async (_what, env, finding) => {
    expect(of(await look(env), "fail").join("\n")).toMatch(finding);
  });

  test("an endpoint on another chain, beside one that is right", async () => {
    proxy.react = ({ method }) => (method === "eth_chainId" ? { result: "0x32" } : undefined);
    const sections = await look();
    expect(of(sections, "fail")).toEqual([
      expect.stringMatching(/endpoint 0 .*: chain id: the node serves chain 50, not 51 → put/),
    ]);
    // The other one still tells about token and wallets.
    expect(of(sections, "ok").join("\n")).toContain("domain separator: as payments are signed for");
  });

  test("no token where it should be", async () => {
    const code = await devnet.rpc<string>("eth_getCode", [devnet.token, "latest"]);
    await devnet.rpc("anvil_setCode", [devnet.token, "0x"]);
    try {
      expect(of(await look(), "fail").join("\n")).toMatch(/chain: token: no contract at 0x/);
    } finally {
      await devnet.rpc("anvil_setCode", [devnet.token, code]);
    }
  });

  test("another token", async () => {
    await devnet.usdc.rename("USD Coin");
    try {
      const found = of(await look(), "fail").join("\n");
      expect(found).toMatch(/token: "USD Coin" version "2".*expected "USDC"/);
      expect(found).toMatch(/domain separator: 0x.* instead of 0x/);
    } finally {
      await devnet.usdc.rename("");
    }
  });

  test("a node that stands still", async () => {
    proxy.react = ({ method }) =>
      method === "eth_getBlockByNumber" ? { rewrite: old } : undefined;
    expect(of(await look(), "fail").join("\n")).toMatch(
      /endpoint 0 .*: head: block \d+, \d+ s old/,
    );
  });

  test("no logs by block", async () => {
    proxy.react = ({ method }) =>
      method === "eth_getLogs" ? { error: { code: -32_601, message: "not served" } } : undefined;
    expect(of(await look(), "fail").join("\n")).toMatch(
      /endpoint 0 .*: logs by block: eth_getLogs was refused: not served \(code -32601\)/,
    );
  });

  test.each([
    ["behind", -60_000, /clock: (59|60|61) s behind block/],
    ["ahead", 60_000, /clock: (59|60|61|62) s ahead of block/],
  ] as const)("a clock that is %s", async (_way, offset, finding) => {
    const clock = { ...systemClock, nowMs: () => systemClock.nowMs() + offset };
    expect(of(await look({}, clock), "fail").join("\n")).toMatch(finding);
  });
});

describe("what should be looked at", () => {
  test("an endpoint that lags", async () => {
    await devnet.mine(25);
    proxy.react = (call) =>
      call.method === "eth_getBlockByNumber" && pathOf(call) === "latest"
        ? { rewrite: behind }
        : undefined;
    expect(of(await look(), "warn").join("\n")).toMatch(
      /chain: heads: endpoint 0 is (19|20|21) blocks behind/,
    );
  });

  test.each([
    [
      "no finalized block",
      "finality: no `finalized` block",
      (call: NodeCall) =>
        pathOf(call) === "finalized"
          ? { error: { code: -32_000, message: "unknown tag" } }
          : undefined,
    ],
    [
      "addresses as xdc…",
      "addresses: written as xdc",
      (call: NodeCall) =>
        pathOf(call) === "latest" && call.method === "eth_getBlockByNumber"
          ? { rewrite: miner }
          : undefined,
    ],
    [
      "no deployless calls",
      "payment reads: an eth_call without an address is refused",
      (call: NodeCall) =>
        call.method === "eth_call" && !("to" in Object(pathOf(call)))
          ? { error: { code: -32_602, message: "missing to" } }
          : undefined,
    ],
    [
      "a high gas price",
      "gas price: 2000 gwei asked",
      (call: NodeCall) =>
        call.method === "eth_gasPrice" ? { result: "0x1d1a94a2000" } : undefined,
    ],
  ] as const)("%s", async (_what, finding, react) => {
    proxy.react = react;
    expect(of(await look(), "warn").join("\n")).toContain(finding);
  });

  test("a single endpoint, and callers without limits", async () => {
    const env = { FARTHING_RPC_51: proxy.url, FARTHING_RATE_LIMIT: "0" };
    const found = of(await look(env), "warn").join("\n");
    expect(found).toMatch(/configuration: eip155:51: .*one endpoint → name a second one/);
    expect(found).toMatch(/configuration: limits: anybody may send/);
  });

  test("no Multicall3", async () => {
    const code = await devnet.rpc<string>("eth_getCode", [devnet.multicall3, "latest"]);
    await devnet.rpc("anvil_setCode", [devnet.multicall3, "0x"]);
    try {
      expect(of(await look(), "warn").join("\n")).toMatch(/chain: batching: no Multicall3 at 0x/);
    } finally {
      await devnet.rpc("anvil_setCode", [devnet.multicall3, code]);
    }
  });

  test("transactions that are not in the database", async () => {
    proxy.react = withPending;
    other.react = withPending;
    expect(of(await look(), "warn").join("\n")).toMatch(
      /wallets: nonce 0: 0, and 7 wait in the node's pool → other software/,
    );
  });
});

test("what a running facilitator sends meanwhile is its own", async () => {
  const databaseUrl = newDatabaseUrl();
  const served = await serveOn(devnet, { databaseUrl, wallets: [1] });
  let settled: Promise<unknown> | undefined;
  // After any look at the database that comes before the look at the wallet.
  proxy.step = async (side, calls) => {
    if (side === "before" && calls.some(({ method }) => method === "eth_getTransactionCount")) {
      settled ??= served.post("/settle", bodyOn(devnet));
      await settled;
    }
  };
  const keys = environmentOn(devnet, { wallets: [1] }).FARTHING_RELAYER_KEYS;
  const sections = await look({ DATABASE_URL: databaseUrl, FARTHING_RELAYER_KEYS: keys });
  proxy.step = undefined;
  await served.stop();
  expect(settled).toBeDefined();
  expect(of(sections, "ok").join("\n")).toMatch(/wallets: nonce 0: 1, nothing waits/);
});

test("beside a facilitator at work: who holds its wallets; afterwards they are free", async () => {
  const databaseUrl = newDatabaseUrl();
  const served = await serveOn(devnet, { databaseUrl });
  expect((await served.post("/settle", bodyOn(devnet))).body).toMatchObject({ success: true });
  const during = of(await look({ DATABASE_URL: databaseUrl }), "ok").join("\n");
  expect(during).toContain("schema: this version's");
  expect(during).toMatch(/database: size: \d+\.\d\d GB, \d+(\.\d+)? GB free on its disk/);
  expect(during).toContain(`held by process ${process.pid} on `);
  await served.stop();
  expect(of(await look({ DATABASE_URL: databaseUrl }), "ok").join("\n")).toMatch(
    /lease: .*free, 0/,
  );
  const file = new DatabaseSync(databaseUrl.slice("sqlite:".length));
  file.exec("update lanes set next_nonce = 0");
  file.close();
  expect(of(await look({ DATABASE_URL: databaseUrl }), "warn").join("\n")).toMatch(
    /nonce 0: \d+ transactions on chain, of which the database knows 0; a start searches from half an hour before the newest stored one \(2\d{3}-.*Z\), but at most the last 302400 blocks, about a week; farthing recover --since searches what is older → start/,
  );
  expect(of(await look({ DATABASE_URL: newDatabaseUrl() }), "ok").join("\n")).toMatch(
    /nonce 0: \d+ transactions on chain, from before this database, which a start does not search; farthing recover --since/,
  );
});

test("a wallet that was taken out of the configuration while its transactions are open", async () => {
  const databaseUrl = newDatabaseUrl();
  proxy.react = ({ method }) => (method === "eth_sendRawTransaction" ? "down" : undefined);
  const env = { FARTHING_RPC_51: proxy.url };
  const served = await serveOn(devnet, { databaseUrl, wallets: [2], env });
  void served.post("/settle", bodyOn(devnet)).catch(() => undefined);
  const isSent = () => expect(proxy.countOf("eth_sendRawTransaction")).toBeGreaterThan(0);
  proxy.reset();
  await vi.waitFor(isSent, { timeout: 60_000 });
  await served.stop();
  const keys = environmentOn(devnet, { wallets: [1] }).FARTHING_RELAYER_KEYS;
  const sections = await look({ DATABASE_URL: databaseUrl, FARTHING_RELAYER_KEYS: keys });
  expect(of(sections, "warn").join("\n")).toMatch(
    /database: lease: 0x\w{40} on chain 51 is not configured any more, and 1 of its transactions are open → a facilitator at work sends them again/,
  );
  const open = /database: payments: open on chain 51: 1 submitted, the oldest for \d+ s →/;
  expect(of(sections, "ok").join("\n")).toMatch(open);
  const later = { ...systemClock, nowMs: () => systemClock.nowMs() + 11 * 60_000 };
  expect(of(await look({ DATABASE_URL: databaseUrl }, later), "warn").join("\n")).toMatch(open);
  const own = environmentOn(devnet, { wallets: [2] }).FARTHING_RELAYER_KEYS;
  const all = { DATABASE_URL: databaseUrl, FARTHING_RELAYER_KEYS: own };
  const whole = of(await look(all), "warn").join("\n");
  expect(whole).not.toMatch(/not configured any more/);
});

test("a batch contract: named where it is right, to be fixed where it is another one", async () => {
  await devnet.rpc("anvil_setCode", [batcher, batcherCode]);
  const well = of(await look({ FARTHING_BATCHER_51: batcher }), "ok").filter((line) =>
    line.includes(" chain: batch"),
  );
  expect(well).toEqual([
    `${network} chain: batching: through the batch contract (experimental) → `,
    expect.stringMatching(
      /: batch contract: experimental, at 0xba7c.*, code hash 0x[0-9a-f]{64} → /i,
    ),
  ]);
  const [wrong, ...others] = of(await look({ FARTHING_BATCHER_51: devnet.multicall3 }), "fail");
  expect(wrong).toMatch(
    /: batch contract: the contract at 0x.* → deploy it with `farthing batcher/,
  );
  expect(others).toEqual([]);
});
