/**
 * Where a page is run: a folder of its own, and what its reader has at hand. `npx` runs what this
 * repository holds, `npm install` says whether there is such a package, and addresses of the
 * outside world lead to services on this machine.
 */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { farthing as charging } from "@farthing/seller/express";
import { startDevnet } from "@farthing/devnet";
import { readConfig, silentLog, startFacilitator } from "@farthing/facilitator";
import express from "express";
import { listen } from "@farthing/seller/testing/listen";
import { freePorts } from "../e2e/support/free-ports.testing.ts";
import { facilitatorEnvironment, mintKey } from "../e2e/support/market.testing.ts";

const root = join(import.meta.dirname, "../..");

/** Ports that pages name; each page gets free ones in their place. */
const namedPorts = ["3000", "4021", "8080", "8402", "8545", "9402", "9464"];

/** The world outside, on this machine. */
export interface World {
  /** What stands for what in the text of a page. */
  readonly standIns: Readonly<Record<string, string>>;
  /** What a reader's shell has. */
  readonly environment: Readonly<Record<string, string>>;
  /** Key of a wallet with coins for gas: what the file relayer.key of a page holds. */
  readonly relayerKey: string;
  stop(): Promise<void>;
}

/** Starts a chain for Apothem's, a facilitator and a paid API, which pages reach by their names. */
export async function startWorld(): Promise<World> {
  const stack = new AsyncDisposableStack();
  try {
    const folder = mkdtempSync(join(tmpdir(), "farthing-docs-"));
    stack.defer(() => rmSync(folder, { recursive: true, force: true }));
    const devnet = await startDevnet({ blockTimeSeconds: 1, relayers: 3 });
    stack.defer(() => devnet.stop());
    const mainnet = await startDevnet({ chainId: 50, blockTimeSeconds: 1, relayers: 1, buyers: 1 });
    stack.defer(() => mainnet.stop());
    const databaseUrl = `sqlite:${join(folder, "farthing.db")}`;
    const apiKey = await mintKey(databaseUrl, 51, devnet.seller.address);
    const [buyer] = devnet.buyers;
    // The page's own facilitator has the last wallet to itself: a wallet has one database.
    const [, , spare] = devnet.relayers;
    if (!buyer || !spare) throw new Error("the devnet has too few wallets");
    const settings = facilitatorEnvironment(
      { ...devnet, relayers: devnet.relayers.slice(0, 2) },
      databaseUrl,
    );
    const facilitator = await startFacilitator({
      config: readConfig({ env: { ...settings, FARTHING_RATE_LIMIT: "0" } }),
      log: silentLog,
    });
    stack.defer(() => facilitator.stop());
    const charge = charging({
      facilitator: { url: facilitator.url, apiKey },
      payTo: devnet.seller.address,
      network: "eip155:51",
      price: "0.01",
    });
    const api = express();
    api.all("/:any", charge(), (_request, response) => void response.json({ report: "paid for" }));
    const shop = await listen(api);
    stack.defer(() => shop.close());
    return {
      standIns: {
        "https://erpc.apothem.network": devnet.rpcUrl,
        "https://erpc.xinfin.network": mainnet.rpcUrl,
        "https://facilitator.example": facilitator.url,
        "https://api.example": shop.url,
      },
      environment: {
        FARTHING_API_KEY: apiKey,
        FARTHING_WALLET_KEY: buyer.privateKey,
        DOCS_RPC_URLS: `${devnet.rpcUrl} ${mainnet.rpcUrl}`,
      },
      relayerKey: spare.privateKey,
      stop: () => stack.disposeAsync(),
    };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

const noInternet = join(import.meta.dirname, "../no-internet.testing.ts");

/** A page's folder. */
export interface Stage {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The text with what is named replaced by what is here. */
  localize(text: string): string;
  remove(): void;
}

/** Prepares the folder of one page. */
export async function openStage(world: World): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), "farthing-page-"));
  const programs = join(folder, ".programs");
  mkdirSync(programs);
  const program = (name: string, script: string) => {
    writeFileSync(join(programs, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(programs, name), 0o755);
  };
  program("farthing", `exec node "${join(root, "packages/cli/bin/farthing.js")}" "$@"`);
  program("npx", `exec "$@"`);
  program("npm", `exec node "${join(import.meta.dirname, "npm-install.ts")}" "$@"`);
  program("fund", `exec node "${join(import.meta.dirname, "fund.ts")}" "$@"`);
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "relayer.key"), `${world.relayerKey}\n`, { mode: 0o600 });
  const free = await freePorts(namedPorts.length);
  const ports = new Map(namedPorts.map((name, index) => [name, `${free[index]}`]));
  return {
    folder,
    environment: {
      ...world.environment,
      PATH: `${programs}:${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
      HOME: folder,
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "",
      // Packages are run from their sources; no build is needed. And no page leaves this machine.
      NODE_OPTIONS: `--conditions=@farthing/source --import ${noInternet}`,
      // Where a page leaves a port out, it means the usual one.
      FARTHING_PORT: ports.get("8402") ?? "",
    },
    localize: (text) =>
      Object.entries({ ...world.standIns, "/home/me": folder })
        .reduce((changed, [name, url]) => changed.replace(nameIn(name), url), text)
        .replace(new RegExp(`(?<![\\w.])(${namedPorts.join("|")})(?![\\w.])`, "g"), (name) =>
          String(ports.get(name)),
        ),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A name as a whole: `https://api.example`, and not the beginning of `https://api.example.com`. */
const nameIn = (name: string): RegExp =>
  new RegExp(`${name.replaceAll(".", String.raw`\.`)}(?![\\w.-])`, "g");
