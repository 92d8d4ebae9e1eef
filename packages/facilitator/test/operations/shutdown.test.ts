/**
 * Stopping a real process in the middle of its work: everybody gets a true answer, nothing is left
 * half done, the wallets are free, and the next start goes on where this one ended.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { programFile } from "@farthing/lab/programs";
import type { Devnet } from "@farthing/devnet";
import type { JsonObject } from "@farthing/protocol";
import { afterAll, beforeAll, describe, expect, test, type TestContext } from "vitest";
import {
  bodyOn,
  environmentOn,
  newDatabaseUrl,
  readResponse,
  serveOn,
  startChain,
  usesOf,
  walletAt,
  type Answer,
} from "../support/facilitator.testing.ts";
import { startRpcProxy, type NodeCall } from "@farthing/lab/rpc-proxy";
import { inspectStore } from "@farthing/engine/storage";
import { openStore } from "../../src/features/open-store.ts";

const runner = programFile(new URL("../support/serve-runner.testing.ts", import.meta.url));

/** A process at work. */
interface Running {
  readonly url: string;
  /** Everything it said on standard error. */
  readonly said: readonly string[];
  signal(name: "SIGTERM" | "SIGINT"): void;
  /** Closes both of its outputs, as a log collector does that dies. */
  stopReading(): void;
  /** Resolves with its exit status. */
  readonly ended: Promise<unknown>;
}

const started: { kill(signal: "SIGKILL"): boolean }[] = [];
afterAll(() => {
  for (const child of started) child.kill("SIGKILL");
});

async function start(
  devnet: Devnet,
  databaseUrl: string,
  wallets: number[],
  { rpcUrl = devnet.rpcUrl, until = /^Farthing listens on (\S+)/ } = {},
): Promise<Running> {
  const env = environmentOn(devnet, { databaseUrl, wallets, rpcUrl });
  const child = spawn(process.execPath, ["--conditions=@farthing/source", runner], {
    env: {
      ...env,
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      FARTHING_METRICS_PORT: "0",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  started.push(child);
  child.stdout.resume();
  const said: string[] = [];
  const lines = createInterface({ input: child.stderr }).on("line", (line) => said.push(line));
  const ended = once(child, "exit").then(([status]: unknown[]) => status);
  const place = () => said.map((line) => until.exec(line)?.[1]).find((url) => url !== undefined);
  while (place() === undefined) {
    await Promise.race([
      once(lines, "line"),
      ended.then(() => Promise.reject(new Error(said.join("\n")))),
    ]);
  }
  const url = place() ?? "";
  const stopReading = () => {
    child.stdout.destroy();
    child.stderr.destroy();
  };
  return { url, said, ended, stopReading, signal: (name) => child.kill(name) };
}

async function post(url: string, path: string, body: JsonObject): Promise<Answer> {
  const headers = { "content-type": "application/json" };
  return readResponse(
    await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) }),
  );
}

/** Waits until this many wallets or more have sent a transaction that is not mined. */
async function untilSent(devnet: Devnet, wallets: number): Promise<void> {
  const read = async () => devnet.rpc<{ pending: object }>("txpool_content");
  const count = async () => Object.keys((await read()).pending).length;
  await expect.poll(count).toBeGreaterThanOrEqual(wallets);
}

async function expectTidy(devnet: Devnet, databaseUrl: string, wallets: readonly number[]) {
  const report = await inspectStore(databaseUrl, Date.now());
  expect(report.wallets.map(({ holder }) => holder)).toEqual(wallets.map(() => null));
  const store = await openStore(databaseUrl);
  for (const index of wallets) {
    const { address } = walletAt(devnet.relayers, index);
    const open = await store.listOpenTransactions(devnet.chainId, address);
    expect(open.filter(({ raw }) => raw === null)).toEqual([]);
    // What is signed was also sent.
    expect(open.filter(({ state }) => state !== "sent")).toEqual([]);
  }
  await store.close();
}

describe("under load", () => {
  let devnet: Devnet;
  beforeAll(async () => {
    devnet = await startChain({ buyers: 20, relayers: 2, blockTimeSeconds: 1 });
  });
  afterAll(() => devnet?.stop());

  interface Call {
    readonly body: JsonObject;
    /** Undefined when there was no connection any more. */
    readonly answer: Answer | undefined;
  }

  /** Every payer settles one payment after the other until it is sent away. */
  async function load(running: Running, onAnswer: () => void) {
    const calls: Call[] = [];
    await Promise.all(
      devnet.buyers.map(async (payer) => {
        for (let isThere = true; isThere;) {
          const body = bodyOn(devnet, { payer });
          const answer = await post(running.url, "/settle", body).catch(() => undefined);
          calls.push({ body, answer });
          onAnswer();
          isThere = answer?.status === 200;
        }
      }),
    );
    return calls;
  }

  test.each(["SIGTERM", "SIGINT"] as const)(
    "%s: true answers, exit 0, and the rest goes on",
    async (name) => {
      const wallets = [0, 1];
      const databaseUrl = newDatabaseUrl();
      const running = await start(devnet, databaseUrl, wallets);
      let answered = 0;
      let signaled: Promise<void> | undefined;
      const calls = await load(running, () => {
        if (++answered !== devnet.buyers.length + 5) return;
        // Calls that wait for a block must get their answers.
        signaled = untilSent(devnet, 1).then(() => running.signal(name));
      });
      await signaled;
      expect(await running.ended).toBe(0);
      await expectTidy(devnet, databaseUrl, wallets);

      const uses = await Promise.all(calls.map(({ body }) => usesOf(devnet, body)));
      for (const [index, { answer }] of calls.entries()) {
        if (!answer) {
          // The connection was closed before the request was read: nothing was begun for it.
          expect(uses[index]).toEqual([]);
        } else if (answer.status === 503) {
          expect(answer.body).toMatchObject({ success: false, error: "service_unavailable" });
          expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
          expect(answer.headers.get("connection")).toBe("close");
        } else {
          expect(["confirmed", "pending"]).toContain(answer.body["status"]);
        }
      }
      for (const [index, { answer }] of calls.entries()) {
        if (answer?.body["success"] === true) {
          expect(uses[index]).toEqual([answer.body["transaction"]]);
        }
      }

      const again = await serveOn(devnet, { databaseUrl, wallets });
      const repeats = await Promise.all(calls.map(({ body }) => again.post("/settle", body)));
      expect(repeats.map(({ body }) => body["success"])).toEqual(repeats.map(() => true));
      for (const [index, { answer }] of calls.entries()) {
        if (answer?.status === 200) expect(repeats[index]?.body["id"]).toBe(answer.body["id"]);
        const { body } = calls[index] ?? {};
        if (body) expect(await usesOf(devnet, body)).toHaveLength(1);
      }
      await again.stop();
    },
  );
});

test("nobody reads what it says any more: it serves on, and ends when it is told", async () => {
  const devnet = await startChain();
  try {
    const databaseUrl = newDatabaseUrl();
    const running = await start(devnet, databaseUrl, [0]);
    running.stopReading();
    for (let payment = 0; payment < 2; payment++) {
      const { body } = await post(running.url, "/settle", bodyOn(devnet));
      expect(body).toMatchObject({ success: true });
    }
    running.signal("SIGTERM");
    expect(await running.ended).toBe(0);
    await expectTidy(devnet, databaseUrl, [0]);
  } finally {
    await devnet.stop();
  }
});

describe("while a caller waits for a block that does not come", () => {
  let devnet: Devnet;
  let running: Running;
  let databaseUrl: string;
  /** A settle that waits. */
  let settling: Promise<Answer>;
  let body: JsonObject;
  beforeAll(async () => {
    devnet = await startChain({ relayers: 3 });
    await devnet.rpc("evm_setAutomine", [false]);
  });
  afterAll(() => devnet?.stop());

  let wallet = 0;
  async function begin(): Promise<void> {
    databaseUrl = newDatabaseUrl();
    running = await start(devnet, databaseUrl, [wallet++]);
    body = bodyOn(devnet);
    settling = post(running.url, "/settle", body);
    await untilSent(devnet, wallet);
  }

  test("the caller is told that it is pending, with the transaction; others are refused", async () => {
    await begin();
    running.signal("SIGTERM");
    await expect.poll(() => running.said.at(-1)).toMatch(/^Stopping: requests in progress/);
    const refused = await post(running.url, "/verify", bodyOn(devnet));
    expect([refused.status, refused.body]).toMatchObject([
      503,
      { error: "service_unavailable", retryable: true, isValid: false },
    ]);
    expect(refused.headers.get("retry-after")).toBe("5");
    expect(refused.headers.get("connection")).toBe("close");
    expect((await fetch(`${running.url}/ready`)).status).toBe(503);
    expect((await fetch(`${running.url}/health`)).status).toBe(200);
    expect((await settling).body).toMatchObject({
      success: false,
      status: "pending",
      errorReason: "settlement_pending",
      transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    });
    // Before he would have stopped waiting by himself: by then the process had ended with 1.
    expect(await running.ended).toBe(0);
    await expectTidy(devnet, databaseUrl, [wallet - 1]);
  });

  test("a second signal ends the process at once and says that nothing is lost", async () => {
    await begin();
    const lost = settling.then(
      () => "answered",
      () => "cut off",
    );
    running.signal("SIGTERM");
    await expect.poll(() => running.said.at(-1)).toMatch(/^Stopping: requests in progress/);
    running.signal("SIGTERM");
    expect(await running.ended).toBe(143);
    expect(running.said.at(-1)).toMatch(/^SIGTERM again.*next start continues/);
    expect(await lost).toBe("cut off");
    await devnet.mine();
    const again = await serveOn(devnet, { databaseUrl, wallets: [wallet - 1] });
    expect((await again.post("/settle", body)).body).toMatchObject({ success: true });
    expect(await usesOf(devnet, body)).toHaveLength(1);
    await again.stop();
  });
});

// Each test waits until a request to the node has taken too long.
describe("while a node is silent", { concurrent: true }, () => {
  let devnet: Devnet;
  beforeAll(async () => {
    devnet = await startChain({ relayers: 3 });
  });
  afterAll(() => devnet?.stop());

  test("one that says nothing any more holds the stop up for seconds only", async (context) => {
    const proxy = await startRpcProxy(devnet.rpcUrl);
    const databaseUrl = newDatabaseUrl();
    const running = await start(devnet, databaseUrl, [2], { rpcUrl: proxy.url });
    const silence = Promise.withResolvers<void>();
    proxy.gate = silence.promise;
    proxy.reset();
    const unanswered = post(running.url, "/settle", bodyOn(devnet));
    await context.expect.poll(() => proxy.countOf("eth_call")).toBeGreaterThan(0);
    running.signal("SIGTERM");
    expect((await unanswered).status).toBe(503);
    expect(await running.ended).toBe(0);
    await expectTidy(devnet, databaseUrl, [2]);
    silence.resolve();
    await proxy.stop();
  });

  /** Starts a process on a node that is silent from one request on; resolves once its port is open. */
  async function startOnSilence(
    wallet: number,
    isLast: (call: NodeCall) => boolean,
    { onTestFinished }: TestContext,
  ) {
    const proxy = await startRpcProxy(devnet.rpcUrl);
    onTestFinished(() => proxy.stop());
    const asked = Promise.withResolvers<void>();
    proxy.step = async (side, calls) => {
      if (side === "after" || !calls.some(isLast)) return;
      asked.resolve();
      await new Promise<never>(() => {});
    };
    const databaseUrl = newDatabaseUrl();
    const opened = /^Starting on (\S+):/;
    const options = { rpcUrl: proxy.url, until: opened };
    const process = await start(devnet, databaseUrl, [wallet], options);
    await asked.promise;
    return { process, databaseUrl };
  }

  test.for([
    ["the chain is checked", 0, ({ method }: NodeCall) => method === "eth_chainId"],
    ["recovery runs", 1, ({ params }: NodeCall) => params[0] === "finalized"],
  ] as const)("while %s: it ends with 0 and holds nothing", async ([, wallet, isLast], context) => {
    const { process, databaseUrl } = await startOnSilence(wallet, isLast, context);
    expect((await fetch(`${process.url}/health`)).status).toBe(200);
    process.signal("SIGTERM");
    expect(await process.ended).toBe(0);
    expect(process.said.at(-1)).toMatch(/^Start canceled/);
    const again = await serveOn(devnet, { databaseUrl, wallets: [wallet] });
    expect((await again.post("/settle", bodyOn(devnet))).body).toMatchObject({ success: true });
    await again.stop();
  });
});
