/**
 * Runs a page in a folder of its own, with the commands that its reader has. `npx` runs the
 * commands of this repository, `npm install` checks that a package exists, and public addresses
 * lead to services on this machine.
 */
import { generateKeyPairSync } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { farthing as charging } from "@farthing/seller/express";
import { startDevnet } from "@farthing/devnet";
import { readConfig, silentLog, startFacilitator } from "@farthing/facilitator";
import express from "express";
import { keyIn } from "@farthing/facilitator/testing/api-keys";
import { programFile } from "@farthing/lab/programs";
import { listen } from "@farthing/seller/testing/listen";
import { privateKeyToAccount } from "viem/accounts";
import { freePorts } from "../e2e/support/free-ports.testing.ts";
import { facilitatorEnvironment } from "../e2e/support/market.testing.ts";

const farthing = programFile(new URL("../../packages/cli/bin/farthing.js", import.meta.url));
const root = join(import.meta.dirname, "../..");
const operator = join(root, "packages/operator/bin/farthing-operator.js");

/** Ports that pages name; each page gets free ones instead. */
const namedPorts = ["3000", "4021", "8080", "8402", "8545", "9402", "9464"];

/** Services on this machine that replace public ones. */
export interface World {
  /** Replacements in the text of a page. */
  readonly standIns: Readonly<Record<string, string>>;
  /** The environment of a reader's shell. */
  readonly environment: Readonly<Record<string, string>>;
  /** Key of a wallet with coins for gas, for a page's file relayer.key. */
  readonly relayerKey: string;
  stop(): Promise<void>;
}

/** Starts a chain in place of Apothem, a facilitator and a paid API; pages use their public names. */
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
    const apiKey = await keyIn(databaseUrl, devnet.seller.address);
    const [buyer] = devnet.buyers;
    // The last wallet is for the page's own facilitator, because a wallet belongs to one database.
    const [, , spare] = devnet.relayers;
    if (!buyer || !spare) throw new Error("the devnet has too few wallets");
    const settings = facilitatorEnvironment(
      { ...devnet, relayers: devnet.relayers.slice(0, 2) },
      databaseUrl,
    );
    const attestation = generateKeyPairSync("ed25519").privateKey;
    const own = {
      FARTHING_RATE_LIMIT: "0",
      FARTHING_ATTESTATION_KEYS: String(attestation.export({ type: "pkcs8", format: "pem" })),
    };
    const facilitator = await startFacilitator({
      config: readConfig({ env: { ...settings, ...own } }),
      log: silentLog,
    });
    stack.defer(() => facilitator.stop());
    // Its address is in the guide to proofs.
    const signer = privateKeyToAccount(`0x${"51".repeat(32)}`);
    const charge = charging({
      facilitator: { url: facilitator.url, apiKey },
      payTo: devnet.seller.address,
      network: "eip155:51",
      price: "0.01",
      receiptSigner: { format: "eip712", signTypedData: (data) => signer.signTypedData(data) },
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
        PAYEE_KEY: devnet.seller.privateKey,
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
  /** Returns the text with public names and ports replaced by local ones. */
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
  program("farthing", `exec node "${farthing}" "$@"`);
  program("farthing-operator", `exec node "${operator}" "$@"`);
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
      ...toolchainVariables(),
      ...world.environment,
      PATH: `${programs}:${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
      HOME: folder,
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "",
      // Packages run from their sources without a build. No page reaches the network.
      NODE_OPTIONS: `--conditions=@farthing/source --import ${noInternet}`,
      // A page that names no port means the default one.
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

/** Where the toolchains of other languages keep packages, and how they reach their registries. */
const toolchainVariables = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value = ""]) =>
      /^(PIP|GO|CGO|SSL)[A-Z_]*$/.test(name) ? [[name, value]] : [],
    ),
  );

/** Matches a whole name: `https://api.example`, but not the start of `https://api.example.com`. */
const nameIn = (name: string): RegExp =>
  new RegExp(`${name.replaceAll(".", String.raw`\.`)}(?![\\w.-])`, "g");
