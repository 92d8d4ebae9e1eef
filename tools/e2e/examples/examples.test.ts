/** Each example runs as it stands, and sells or buys one report on a local chain. */
import { execFile } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { privateKeySigner, wrapFetch } from "@farthing/buyer";
import { startServerProcess, type ServerProcess } from "@farthing/lab/server-process";
import { isObject } from "@farthing/protocol";
import { listen } from "@farthing/seller/testing/listen";
import { startWorker } from "@farthing/seller/testing/workerd";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bin } from "../support/farthing-command.testing.ts";
import { startMarket, type Market } from "../support/market.testing.ts";

const root = join(import.meta.dirname, "../../..");
const run = promisify(execFile);
const stack = new AsyncDisposableStack();
const work = mkdtempSync(join(tmpdir(), "farthing-examples-"));

let market: Market;
/** The seller that `farthing init` has written: the agent buys from it as well. */
let shop: string;

beforeAll(async () => {
  stack.defer(() => rmSync(work, { recursive: true, force: true }));
  symlinkSync(join(root, "node_modules"), join(work, "node_modules"));
  market = await startMarket();
  stack.defer(() => market.stop());
});
afterAll(() => stack.disposeAsync());

/** What a shell has beside the settings of `.env`; packages run from their sources. */
const shell = () => ({
  NODE_OPTIONS: "--conditions=@farthing/source",
  XDG_CONFIG_HOME: join(work, "config"),
});

/** Settings of a seller on the market's facilitator, which take the place of those in `.env`. */
const settings = () => ({
  FACILITATOR_URL: market.facilitator("hosted").url,
  NETWORK: market.network.id,
  PAY_TO: market.devnet.seller.address,
  PRICE: "0.01",
});

/** All lines that the programs have printed. */
const printed: string[] = [];

/** Writes a folder with `farthing init`. */
async function init(what: string, ...flags: string[]): Promise<string> {
  await run(process.execPath, [bin, "init", what, what, ...flags], { cwd: work });
  return join(work, what);
}

/** A copy of an example. */
function copyOf(example: string): string {
  const folder = join(work, example);
  cpSync(join(root, "examples", example), folder, { recursive: true });
  cpSync(join(folder, ".env.example"), join(folder, ".env"));
  return folder;
}

/** Runs `npm start` of a folder, as npm does; variables of the shell win over those in `.env`. */
async function start(
  folder: string,
  addressLine: RegExp,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const { scripts } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const [program, ...words] = String(scripts.start).split(" ");
  expect(program).toBe("node");
  const argv = words.map((word) => (/\.[jt]s$/.test(word) ? pathIn(folder, word) : word));
  const running: ServerProcess = startServerProcess({
    argv: argv.map((word) => word.replace("=.env", `=${join(folder, ".env")}`)),
    env: { ...shell(), ...env },
    launcher: ["env", `--chdir=${folder}`],
    addressLine,
    onLine: (line) => printed.push(line),
  });
  stack.defer(async () => void (await running.stop()));
  return running.listening;
}

/** A file of the folder, or of what npm has installed beside it. */
const pathIn = (folder: string, word: string): string =>
  [join(folder, word), join(work, word)].find(existsSync) ?? word;

const openLine = /^Open at (http\S+)$/;

/** Buys at an address with a fresh wallet; the money has to arrive. */
async function expectSale(url: string): Promise<void> {
  const buyer = market.newBuyer();
  const pay = wrapFetch(fetch, { signer: privateKeySigner(buyer.privateKey), rpcUrl: "none" });
  const response = await pay(url);
  expect(await response.clone().json()).toMatchObject({ report: "worth a cent" });
  await market.expectPaidOnce(response, buyer.address);
}

test("farthing init seller writes a shop that sells, and never writes over one", async () => {
  const { FACILITATOR_URL: url, PAY_TO } = settings();
  const folder = await init("seller", "--facilitator", url, "--pay-to", PAY_TO);
  shop = await start(folder, openLine, { PORT: "0" });
  await expectSale(shop);
  await expect.poll(() => printed).toContain(`Ready: sells on eip155:51, to ${PAY_TO}`);
  const before = readFileSync(join(folder, ".env"), "utf8");
  expect(before).toContain(`\nFACILITATOR_URL=${url}\n`);
  const again = init("seller", "--pay-to", market.newBuyer().address);
  await expect(again).rejects.toMatchObject({
    code: 3,
    stderr: expect.stringContaining("is not empty. Nothing was written"),
  });
  expect(readFileSync(join(folder, ".env"), "utf8")).toBe(before);
});

test("farthing init agent writes an agent that buys", async () => {
  const folder = await init("agent");
  const env = {
    ...process.env,
    ...shell(),
    FARTHING_WALLET_KEY: market.newBuyer().privateKey,
    FARTHING_RPC_URL: "none",
  };
  const { stdout } = await run(process.execPath, [join(folder, "agent.js"), shop], { env });
  expect(stdout.trimEnd().split("\n")).toEqual([
    expect.stringMatching(/^Price: 0\.010000 USDC on eip155:51, to 0x/),
    expect.stringMatching(/^Bought \(payment settled\): ".*worth a cent/),
  ]);
  const away = run(process.execPath, [join(folder, "agent.js"), "http://127.0.0.1:9/"], { env });
  await expect(away).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^No price: .*\nNot bought: .* \(payment unused\)\n$/),
  });
});

test("farthing init gateway writes a gateway that sells an API, in Python where there is one", async () => {
  const upstream = await startApi();
  const { FACILITATOR_URL: url, PAY_TO } = settings();
  const folder = await init("gateway", "--to", upstream, "--facilitator", url, "--pay-to", PAY_TO);
  const file = join(folder, "gateway.yaml");
  const port = 'http: "127.0.0.1:4021"';
  const text = readFileSync(file, "utf8");
  expect(text).toContain(port);
  writeFileSync(file, text.replace(port, 'http: "127.0.0.1:0"'));
  const gateway = await start(folder, /^The gateway listens on (http\S+)$/, {});
  await expectSale(`${gateway}/report`);
});

/** `api.py`, or the same without Python. */
async function startApi(): Promise<string> {
  const isPython = await run("python3", ["--version"]).then(
    () => true,
    () => false,
  );
  if (!isPython) {
    console.warn("There is no python3 here: examples/gateway/api.py was not run.");
    const api = await listen((_request, response) => {
      response.setHeader("Content-Type", "application/json");
      response.end('{"report":"worth a cent"}');
    });
    stack.defer(() => api.close());
    return api.url;
  }
  const child = execFile("python3", [join(root, "examples/gateway/api.py")], {
    env: { ...process.env, API_PORT: "0" },
  });
  stack.defer(() => void child.kill());
  return new Promise((resolve, reject) => {
    child.stdout?.on("data", (line) => {
      const url = /http:\S+/.exec(String(line))?.[0];
      if (url !== undefined) resolve(url);
    });
    child.once("exit", (code) => reject(new Error(`api.py ended with ${code}`)));
  });
}

test("the shop on Fastify sells, settled by the facilitator in thirty lines", async () => {
  const [relayer] = market.devnet.relayers;
  const own = market.newBuyer();
  // The market's own facilitator works the devnet's relayer wallet, so this one gets another.
  await market.devnet.rpc("anvil_setBalance", [own.address, "0x8ac7230489e80000"]);
  expect(own.address).not.toBe(relayer?.address);
  const facilitator = await start(
    copyOf("self-built-facilitator"),
    /^The facilitator listens on (http\S+)$/,
    {
      RPC_URL: market.devnet.rpcUrl,
      RELAYER_KEY: own.privateKey,
      DATABASE_URL: `sqlite:${join(work, "engine.db")}`,
      PORT: "0",
    },
  );
  const env = { ...settings(), FACILITATOR_URL: facilitator, PORT: "0" };
  await expectSale(await start(copyOf("fastify"), openLine, env));
});

test("the Worker sells in workerd, with its records in a Durable Object", async () => {
  const example = join(root, "examples/hono-worker");
  // What `wrangler dev` makes of wrangler.json, with these variables.
  const wrangler: unknown = JSON.parse(readFileSync(join(example, "wrangler.json"), "utf8"));
  const vars = isObject(wrangler) ? wrangler["vars"] : undefined;
  expect(Object.keys(isObject(vars) ? vars : {}).sort()).toEqual(Object.keys(settings()).sort());
  const entryPoint = join(example, "worker.ts");
  const worker = await startWorker({ entryPoint, variables: settings() });
  stack.defer(() => worker.stop());
  await expectSale(`${worker.url}/report`);
});

test("the app on Next.js is built, says at its start that it is ready, and sells", async () => {
  const folder = copyOf("next");
  writeFileSync(join(folder, "next.config.mjs"), nextConfig(folder));
  const next = join(root, "node_modules/next/dist/bin/next");
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: "1", NODE_ENV: "production" };
  await run(process.execPath, [next, "build"], { cwd: folder, env });
  const lines: string[] = [];
  const running = startServerProcess({
    argv: [next, "start", "--hostname", "127.0.0.1", "--port", "0"],
    env: { ...settings(), NEXT_TELEMETRY_DISABLED: "1", NODE_ENV: "production" },
    launcher: ["env", `--chdir=${folder}`],
    addressLine: /Local:\s+(http\S+)/,
    onLine: (line) => lines.push(line),
  });
  stack.defer(async () => void (await running.stop()));
  const url = await running.listening;
  await expectSale(`${url}/report`);
  expect(lines).toContain(`Ready: sells on eip155:51, to ${settings().PAY_TO}`);
});

/** Has Next.js take our packages from their sources, which `npm run check:types` has checked. */
function nextConfig(folder: string): string {
  const source = (path: string) => relative(realpathSync(folder), join(root, "packages", path));
  return `export default ${JSON.stringify({
    typescript: { ignoreBuildErrors: true },
    turbopack: {
      root: "/",
      resolveAlias: {
        "@farthing/seller/next": source("seller/src/adapters/next.ts"),
        "@farthing/protocol": source("protocol/src/index.ts"),
        "@farthing/protocol/channel-contract": source("protocol/src/channels/channel-contract.ts"),
        "@farthing/protocol/compile-signatures": source(
          "protocol/src/signatures/compile-signatures.ts",
        ),
      },
    },
  })};\n`;
}
