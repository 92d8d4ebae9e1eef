/** The processes of a service with workers: each of them may be killed, and none is left behind. */
import { existsSync, readFileSync } from "node:fs";
import type { Devnet } from "@farthing/devnet";
import { programFile } from "@farthing/lab/programs";
import { startRpcProxy } from "@farthing/lab/rpc-proxy";
import { startServerProcess } from "@farthing/lab/server-process";
import { isObject, type JsonObject } from "@farthing/protocol";
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from "vitest";
import {
  bodyOn,
  countOf,
  environmentOn,
  startChain,
  usesOf,
  walletAt,
  type ServeOptions,
} from "../support/facilitator.testing.ts";
import {
  ask,
  isRunning,
  workersOf,
  type PlainResponse,
} from "../support/worker-processes.testing.ts";

const runner = programFile(new URL("../support/serve-runner.testing.ts", import.meta.url));
const workers = 3;

let devnet: Devnet;
beforeAll(async () => {
  devnet = await startChain({ buyers: 9, relayers: 8 });
});
afterAll(() => devnet?.stop());
const automine = (isOn: boolean) => devnet.rpc("evm_setAutomine", [isOn]);
afterEach(async () => {
  await automine(true);
});

let wallet = 0;

/** A service of its own wallet; `addressLine` tells when it is reached. */
function start(options: ServeOptions = {}, addressLine = /^Farthing listens on (\S+)$/) {
  const index = wallet++;
  const env = environmentOn(devnet, {
    wallets: [index],
    ...options,
    env: { FARTHING_WORKERS: `${workers}`, ...options.env },
  });
  const argv = ["--conditions=@farthing/source", runner];
  const started = startServerProcess({ argv, env, addressLine });
  onTestFinished(() => started.kill().then(() => undefined));
  return { ...started, relayer: walletAt(devnet.relayers, index).address };
}

const settle = (url: string, body: JsonObject) => post(url, "/settle", body);

function post(url: string, path: string, body: JsonObject): Promise<PlainResponse> {
  const headers = { "content-type": "application/json" };
  return ask(url, { path, headers, body: JSON.stringify(body) });
}

function bodyOf(response: PlainResponse | undefined): JsonObject | undefined {
  const body: unknown = response && JSON.parse(response.text);
  return isObject(body) ? body : undefined;
}

test("a worker is killed during settles: what it cut off was not delivered, money moves once, and another one serves", async () => {
  const served = start({ env: { FARTHING_REPEAT_AFTER_SUCCESS: "once" } });
  const url = await served.listening;
  await automine(false);
  const bodies = devnet.buyers.map((payer) => bodyOn(devnet, { payer }));
  const settling = bodies.map((body) => settle(url, body).catch(() => undefined));
  await expect.poll(() => countOf(devnet, served.relayer)).toBeGreaterThan(0);
  const [victim = 0, ...others] = workersOf(served.pid);
  expect(others).toHaveLength(workers - 1);
  process.kill(victim, "SIGKILL");
  await expect.poll(() => isRunning(victim)).toBe(false);
  await automine(true);
  await devnet.mine();
  const responses = await Promise.all(settling);
  // Connections are spread evenly.
  expect(responses.filter((response) => response === undefined)).toHaveLength(3);
  for (const response of responses) {
    if (response) expect(bodyOf(response)).toMatchObject({ success: true });
  }
  for (const [index, body] of bodies.entries()) {
    // Success is told once: to a caller who has not been told.
    const isTold = responses[index] !== undefined;
    const repeated = bodyOf(await settle(url, body));
    expect(repeated?.["success"], `settle ${index}`).toBe(!isTold);
    expect(await usesOf(devnet, body)).toHaveLength(1);
  }
  await expect.poll(() => workersOf(served.pid)).toHaveLength(workers);
  expect(bodyOf(await post(url, "/verify", bodyOn(devnet)))).toMatchObject({ isValid: true });
});

test("all workers are killed: connections wait for their successors", async () => {
  const served = start();
  const url = await served.listening;
  for (const pid of workersOf(served.pid)) process.kill(pid, "SIGKILL");
  await expect
    .poll(() => settle(url, bodyOn(devnet)).then(bodyOf, () => undefined))
    .toMatchObject({ success: true });
});

test("the main process is killed: no worker is left", async () => {
  const served = start();
  await served.listening;
  const pids = workersOf(served.pid);
  expect(pids).toHaveLength(workers);
  await served.kill();
  await expect.poll(() => pids.filter(isRunning)).toEqual([]);
});

test("SIGTERM for all processes during a settle: a true response, and no process is left", async () => {
  const served = start();
  const url = await served.listening;
  await automine(false);
  const body = bodyOn(devnet);
  const settling = settle(url, body);
  await expect.poll(() => countOf(devnet, served.relayer)).toBe(1);
  const pids = workersOf(served.pid);
  // As a service manager does, or a terminal: the whole group gets the signal.
  for (const pid of pids) process.kill(pid, "SIGTERM");
  const ended = served.stop();
  await expect.poll(() => served.lastLines()).toMatch(/Stopping: requests in progress/);
  const refused = await post(url, "/verify", bodyOn(devnet));
  expect([refused.status, bodyOf(refused)]).toMatchObject([
    503,
    { error: "service_unavailable", retryable: true, isValid: false },
  ]);
  expect([refused.headers["retry-after"], refused.headers.connection]).toEqual(["5", "close"]);
  const health = await ask(url, { method: "GET", path: "/health" });
  expect([health.status, health.headers.connection]).toEqual([200, "close"]);
  expect(bodyOf(await settling)).toMatchObject({
    status: "pending",
    transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
  });
  expect(await ended).toBe("0");
  expect(pids.filter(isRunning)).toEqual([]);
});

test("during the start, /health responds and /ready names the step; a payment is refused", async () => {
  const proxy = await startRpcProxy(devnet.rpcUrl);
  onTestFinished(() => proxy.stop());
  const silence = Promise.withResolvers<void>();
  proxy.gate = silence.promise;
  const served = start({ rpcUrl: proxy.url }, /^Starting on (\S+):/);
  const url = await served.listening;
  expect((await ask(url, { method: "GET", path: "/health" })).status).toBe(200);
  const ready = await ask(url, { method: "GET", path: "/ready" });
  expect([ready.status, ready.text]).toEqual([503, expect.stringMatching(/chain/)]);
  const refused = await post(url, "/verify", bodyOn(devnet));
  expect([refused.status, refused.text]).toEqual([503, expect.stringMatching(/being started/)]);
  silence.resolve();
  await expect
    .poll(async () => (await ask(url, { method: "GET", path: "/ready" })).status)
    .toBe(200);
});

test("a port that is taken ends the start, and says which setting names it", async () => {
  const first = start();
  const { port } = new URL(await first.listening);
  const second = start({ env: { FARTHING_PORT: port } });
  await expect(second.listening).rejects.toThrow(/set FARTHING_PORT to a free port/);
  expect(await second.ended).toBe("3");
});

test.skipIf(!existsSync("/proc/self/environ"))("a worker knows no secret", async () => {
  const served = start();
  await served.listening;
  const environments = workersOf(served.pid).map((pid) =>
    readFileSync(`/proc/${pid}/environ`, "utf8"),
  );
  expect(environments).toHaveLength(workers);
  for (const environment of environments) expect(environment).not.toMatch(/FARTHING|DATABASE/);
});
