/** What the tests of one file share: a chain, a facilitator on it, and the seller's key. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDevnet, type Devnet, type DevnetWallet } from "@farthing/devnet";
import { readConfig, silentLog, startFacilitator, type Log } from "@farthing/facilitator";
import { keyIn } from "@farthing/facilitator/testing/api-keys";
import {
  networkOfChain,
  readReceipt,
  type Address,
  type ChainId,
  type Hex,
  type Network,
} from "@farthing/protocol";
import { expect } from "vitest";
import { startTap, type Tap } from "./facilitator-tap.testing.ts";

/** One US cent: what everything here costs. */
export const price = "0.01";
const priceUnits = 10_000n;

/** USDC that went from a payer to the seller. */
export interface Transfer {
  readonly transaction: Hex;
  readonly units: bigint;
}

/** The faces of the facilitator. */
export type Face = "public" | "hosted";

/** A chain with a facilitator. */
export interface Market {
  readonly devnet: Devnet;
  readonly network: Network;
  readonly databaseUrl: string;
  /** Of the seller's account. */
  readonly apiKey: string;
  /** Between every seller and the facilitator. */
  readonly tap: Tap;
  /** How a seller of ours names a face: its address, and the key where one is asked for. */
  facilitator(face: Face): { url: string; apiKey?: string };
  /** A wallet that has bought nothing yet. */
  newBuyer(): DevnetWallet;
  /** All that a payer has paid to the seller. */
  transfers(payer: Address): Promise<Transfer[]>;
  /** Checks an answer: content, receipt, and exactly one transfer of the price on the chain. */
  expectPaidOnce(response: Response, payer: Address): Promise<Transfer>;
  stop(): Promise<void>;
}

/** How to start a market. */
export interface MarketOptions {
  readonly chainId?: ChainId;
  readonly ownFacilitator?: boolean;
  /** Wallets for {@link Market.newBuyer}; as many as a devnet comes with unless set. */
  readonly buyers?: number;
  /** Settings of the facilitator that differ. */
  readonly env?: Readonly<Record<string, string>>;
  /** Of the market's own facilitator. */
  readonly log?: Log;
}

/** What every seller of ours on a market says of itself. */
export function termsOn({ facilitator, devnet, network }: Market, face: Face) {
  return {
    facilitator: facilitator(face),
    payTo: devnet.seller.address,
    network: network.id,
    price,
    // What the tests want to know, they read from the answers and the chain.
    onEvent: () => {},
  };
}

/** keccak256 of `Transfer(address,address,uint256)`. */
const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

/** The environment of a facilitator on a devnet. */
export function facilitatorEnvironment(devnet: Devnet, databaseUrl: string) {
  return {
    [`FARTHING_RPC_${devnet.chainId}`]: devnet.rpcUrl,
    FARTHING_RELAYER_KEYS: devnet.relayers.map(({ privateKey }) => privateKey).join(","),
    FARTHING_PORT: "0",
    FARTHING_LOG_LEVEL: "silent",
    DATABASE_URL: databaseUrl,
  };
}

/**
 * Starts a market. Blocks are a second apart, so that a payment is pending when it is first asked
 * about. Without a facilitator of its own, the tap leads nowhere until `upstream` is set.
 */
export async function startMarket(options: MarketOptions = {}): Promise<Market> {
  const stack = new AsyncDisposableStack();
  try {
    return await openMarket(stack, options);
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

async function openMarket(
  stack: AsyncDisposableStack,
  { chainId = 51, ownFacilitator = true, buyers, env = {}, log = silentLog }: MarketOptions,
): Promise<Market> {
  const folder = mkdtempSync(join(tmpdir(), "farthing-e2e-"));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const devnet = await startDevnet({
    chainId,
    blockTimeSeconds: 1,
    relayers: 1,
    ...(buyers === undefined ? {} : { buyers }),
  });
  stack.defer(() => devnet.stop());
  const databaseUrl = `sqlite:${join(folder, "farthing.db")}`;
  const apiKey = await keyIn(databaseUrl, devnet.seller.address, {
    mode: chainId === 50 ? "live" : "test",
  });
  let upstream = "http://127.0.0.1:9";
  if (ownFacilitator) {
    const settings = { ...facilitatorEnvironment(devnet, databaseUrl), ...env };
    const config = readConfig({ env: settings });
    const facilitator = await startFacilitator({ config, log });
    stack.defer(() => facilitator.stop());
    upstream = facilitator.url;
  }
  const tap = await startTap(upstream);
  stack.defer(() => tap.close());
  const network = networkOfChain(chainId);
  const transfers = (payer: Address) => readTransfers(devnet, network, payer);
  const unspent = [...devnet.buyers];
  return {
    devnet,
    network,
    databaseUrl,
    apiKey,
    tap,
    facilitator: (face) =>
      face === "public" ? { url: tap.url, apiKey } : { url: `${tap.url}/api/facilitator` },
    newBuyer() {
      const wallet = unspent.shift();
      if (!wallet) throw new Error("All wallets of the devnet have bought something.");
      return wallet;
    },
    transfers,
    async expectPaidOnce(response, payer) {
      expect(response.status).toBe(200);
      const made = await transfers(payer);
      expect(made).toEqual([{ transaction: expect.any(String), units: priceUnits }]);
      const [transfer] = made;
      if (!transfer) throw new Error("There is no transfer.");
      const receipt = readReceipt(response.headers);
      expect(receipt).toMatchObject({ success: true, transaction: transfer.transaction, payer });
      return transfer;
    },
    stop: () => stack.disposeAsync(),
  };
}

interface TransferLog {
  readonly transactionHash: Hex;
  readonly data: Hex;
}

async function readTransfers(
  { rpc, seller }: Devnet,
  { usdc }: Network,
  payer: Address,
): Promise<Transfer[]> {
  const topics = [transferTopic, toTopic(payer), toTopic(seller.address)];
  const logs = await rpc<TransferLog[]>("eth_getLogs", [
    { address: usdc, topics, fromBlock: "0x0" },
  ]);
  return logs.map(({ transactionHash, data }) => ({
    transaction: transactionHash,
    units: BigInt(data),
  }));
}

function toTopic(address: Address): string {
  return `0x${address.slice(2).toLowerCase().padStart(64, "0")}`;
}
