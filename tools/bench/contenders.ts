/** Who is measured: Farthing as an operator runs it, and the reference in its flavours. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Devnet, DevnetWallet } from "@farthing/devnet";
import { farthingCommand, startServer, type Server } from "./processes.ts";
import { flavours, type Flavour } from "./reference-server.ts";

/** By name, as the report's columns are called. */
export type Contender = "farthing" | Flavour;

/** All, in the order of the report. */
export const contenders: readonly Contender[] = ["farthing", ...flavours];

/**
 * Relayer wallets of Farthing: 16 of them, 8 transactions each, 50 payments a transaction, carry
 * 6,400 payments a block, more than anybody here asks for. The reference works one wallet.
 */
export const farthingWallets = 16;

/** Wallets on the chain: Farthing's, and one for each flavour. */
export const walletsInAll = farthingWallets + flavours.length;

const reference = fileURLToPath(new URL("./reference-server.ts", import.meta.url));

/** Starts one, looking at the chain where it is told to. */
export async function startContender(
  contender: Contender,
  devnet: Devnet,
  rpcUrl: string,
): Promise<Server> {
  if (contender === "farthing") return startFarthing(devnet, rpcUrl);
  const wallet = walletAt(devnet.relayers, farthingWallets + flavours.indexOf(contender));
  return startServer([reference, contender], {
    BENCH_RPC_URL: rpcUrl,
    BENCH_RELAYER_KEY: wallet.privateKey,
    NODE_ENV: "production",
  });
}

/**
 * `farthing serve --self-built`, as it comes but for the limits per caller: on a SQLite file of its
 * own, unless `settings` say something else. `checkout` is the folder of the program that runs.
 */
export async function startFarthing(
  devnet: Devnet,
  rpcUrl: string,
  walletCount = farthingWallets,
  settings: Readonly<Record<string, string>> = {},
  checkout?: string,
): Promise<Server> {
  const bin = farthingCommand(checkout);
  const folder = mkdtempSync(join(tmpdir(), "farthing-bench-"));
  const wallets = devnet.relayers.slice(0, walletCount);
  const server = await startServer([bin, "serve", "--self-built"], {
    FARTHING_PORT: "0",
    [`FARTHING_RPC_${devnet.chainId}`]: rpcUrl,
    FARTHING_RELAYER_KEYS: wallets.map(({ privateKey }) => privateKey).join(","),
    DATABASE_URL: `sqlite:${join(folder, "farthing.db")}`,
    // One caller asks for everybody here.
    FARTHING_RATE_LIMIT: "0",
    FARTHING_PAYER_CAP: "0",
    FARTHING_PAYER_COUNT: "0",
    FARTHING_KEYLESS_GAS_PER_DAY: "0",
    FARTHING_CONNECTIONS_PER_ADDRESS: "0",
    ...settings,
  });
  return {
    ...server,
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function walletAt(wallets: readonly DevnetWallet[], index: number): DevnetWallet {
  const wallet = wallets[index];
  if (!wallet) throw new Error(`The devnet has no relayer ${index}`);
  return wallet;
}
