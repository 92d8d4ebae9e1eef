/**
 * The built seller and buyer on every runtime that the documentation names: each sells to a stock
 * buyer, and each buys from our seller.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { startServerProcess } from "@farthing/lab/server-process";
import { isObject } from "@farthing/protocol";
import { startWorker } from "@farthing/seller/testing/workerd";
import { buyOnce, type Purchase } from "./buyers.ts";
import { connectBuyer } from "./foreign-buyers.ts";
import { network, startDeployment, type Deployment } from "./deployment.ts";
import { installPackages } from "./install-packages.ts";
import { openShop } from "./own-sellers.ts";

const folder = new URL("runtimes/", import.meta.url);

/** A program that runs. */
interface RunningProgram {
  readonly url: string;
  stop(): Promise<unknown>;
}

type Start = (settings: string) => Promise<RunningProgram>;

/** Returns the path of an installed runtime; undefined where it has no build for this machine. */
function installed(name: string): string | undefined {
  const path = fileURLToPath(new URL(`node_modules/${name}`, folder));
  return existsSync(path) ? path : undefined;
}

const { platform, arch } = process;

/** Each runtime has packages for these machines, so that one without a build was not installed. */
const hasAllBuilds = platform === "linux" && (arch === "x64" || arch === "arm64");

/** Bun's name of this machine's processor. */
const bunArch = arch === "arm64" ? "aarch64" : arch;

/** Returns the program on a runtime that is a command of its own. */
function commandOf(runtime: string | undefined, ...args: readonly string[]): Start | undefined {
  if (runtime === undefined) return undefined;
  return async (settings) => {
    const running = startServerProcess({
      runtime,
      argv: args.map((arg) => (arg.endsWith(".mjs") ? fileURLToPath(new URL(arg, folder)) : arg)),
      env: { SETTINGS: settings },
      addressLine: /^The program listens on (http\S+)$/,
    });
    return { url: await running.listening, stop: () => running.kill() };
  };
}

const nodeOf = (major: number) =>
  commandOf(installed(`node-${major}-${platform}-${arch}/bin/node`), "serve-node.mjs");

const denoFlags = ["run", "--quiet", "--allow-all", "--node-modules-dir=manual"];

const startInWorkerd: Start = async (settings) => {
  const entryPoint = fileURLToPath(new URL("worker.mjs", folder));
  return startWorker({ entryPoint, variables: { SETTINGS: settings }, conditions: [] });
};

/** A runtime with the folder that installs it, where that is not the repository's own. */
interface Runtime {
  readonly packages?: string;
  readonly isQuick?: true;
  /** Returns undefined where there is no build for this machine. */
  readonly find: () => Start | undefined;
}

const runtimes = {
  "Node.js 20": { packages: "node-20", find: () => nodeOf(20) },
  "Node.js 22": { packages: "node-22", find: () => nodeOf(22) },
  "Node.js 24": { find: () => commandOf(process.execPath, "serve-node.mjs") },
  Bun: {
    packages: "bun",
    isQuick: true,
    find: () => commandOf(installed(`@oven/bun-${platform}-${bunArch}/bin/bun`), "serve-fetch.mjs"),
  },
  Deno: {
    packages: "deno",
    isQuick: true,
    find: () =>
      commandOf(installed(`@deno/${platform}-${arch}-glibc/deno`), ...denoFlags, "serve-fetch.mjs"),
  },
  "Cloudflare Workers (workerd)": { find: () => startInWorkerd },
} satisfies Record<string, Runtime>;

/** For the reference page. */
export const runtimeNames = Object.keys(runtimes);

/** Sells and buys on every runtime; `onResult` is called as each purchase ends. */
export async function tryRuntimes(
  isQuick: boolean,
  onResult: (result: Purchase) => void,
): Promise<readonly Purchase[]> {
  const chosen = Object.entries<Runtime>(runtimes).filter(
    ([, runtime]) => !isQuick || runtime.isQuick,
  );
  const packages = chosen.flatMap(([, runtime]) => runtime.packages ?? []);
  installPackages(folder, packages);
  buildPackages();
  const deployment = await startDeployment({ buyers: 2 * chosen.length });
  const results: Purchase[] = [];
  const add = (result: Purchase): void => {
    results.push(result);
    onResult(result);
  };
  try {
    for (const [name, { find }] of chosen) {
      const start = find();
      if (start) await tryRuntime(deployment, { name, start, add });
      else
        add({ name, isOk: !hasAllBuilds, line: `${name} was left out: no build for this machine` });
    }
  } finally {
    await deployment.stop();
  }
  return results;
}

/** Others run what was built, so the programs do too. Takes a second where nothing has changed. */
function buildPackages(): void {
  const root = fileURLToPath(new URL("../../", import.meta.url));
  const projects = ["seller", "buyer"].map((name) => `packages/${name}/tsconfig.build.json`);
  execFileSync("npx", ["tsc", "-b", ...projects], { cwd: root, stdio: "inherit" });
}

interface Attempt {
  readonly name: string;
  readonly start: Start;
  readonly add: (result: Purchase) => void;
}

async function tryRuntime(deployment: Deployment, { name, start, add }: Attempt): Promise<void> {
  const { devnet, surfaces } = deployment;
  const wallet = deployment.newBuyer();
  const settings = {
    facilitatorUrl: surfaces.hosted.url,
    payTo: devnet.seller.address,
    network,
    rpcUrl: devnet.rpcUrl,
    privateKey: wallet.privateKey,
  };
  const shop = await openShop(deployment, "hosted");
  const program = await start(JSON.stringify(settings));
  try {
    const stock = deployment.newBuyer();
    const pay = await connectBuyer("@x402/fetch 2.27", stock, deployment);
    const sells = { name: `@x402/fetch 2.27 at our seller on ${name}`, wallet: stock };
    add(await buyOnce(deployment, { ...sells, pay: () => pay(`${program.url}/report`) }));
    const buys = { name: `our buyer on ${name} at our seller`, wallet };
    add(await buyOnce(deployment, { ...buys, pay: () => buyThere(program.url, shop.url) }));
  } finally {
    await program.stop();
    await shop.close();
  }
}

/** Lets the buyer of a running program buy. */
async function buyThere(programUrl: string, url: string): Promise<Response> {
  const asked = await fetch(`${programUrl}/buy?url=${encodeURIComponent(url)}`);
  const bought: unknown = await asked.json();
  if (!isObject(bought)) throw new Error("The program did not say what it bought.");
  const { status, text, state } = bought;
  if (state !== "settled")
    throw new Error(`${String(state)}, HTTP ${String(status)}: ${String(text)}`);
  return new Response(String(text), { status: Number(status) });
}
