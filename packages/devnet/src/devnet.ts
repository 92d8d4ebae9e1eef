/**
 * A local chain with XDC's chain id, stand-in USDC at the canonical address with its EIP-712
 * domain, Multicall3, and funded wallets. It has the token's behaviour, not the node's: XDC's nonce
 * limit and error texts are missing, and its least gas price where no `gasPriceWei` is given.
 */
import {
  channelContract,
  depositCollector,
  networkOfChain,
  type Address,
  type ChainId,
  type Hex,
} from "@farthing/protocol";
import { startAnvil } from "./anvil-process.ts";
import { createControls, type Rpc } from "./chain-controls.ts";
import { encodeBatch, tokenCalls, toWord } from "./contract-calls.ts";
import { batchSettlementCode, depositCollectorCode } from "./generated/batch-settlement.ts";
import { multicall3Code } from "./generated/multicall3.ts";
import { ownerSlot, sampleWalletCode } from "./generated/sample-wallet.ts";
import { startFront, type Front } from "./front.ts";
import { createGasPrice, type GasPriceRule } from "./gas-price.ts";
import { sendBatch, sendCall } from "./json-rpc.ts";
import { tokenPlacement } from "./token-code.ts";
import { deriveWallets } from "./wallets.ts";

export interface DevnetOptions {
  /**
   * Default 51, the test network. Use 50 only with the devnet's own keys: the token has the real
   * USDC address, so a real wallet's signature would be a valid payment on XDC mainnet.
   */
  chainId?: ChainId;
  /** Default: a free one, on 127.0.0.1. */
  port?: number;
  /** Default 2, XDC's block period. With 0, only transactions make blocks and advance the time. */
  blockTimeSeconds?: number;
  /** Wallets with 1,000 USDC each. Default 20. */
  buyers?: number;
  /** Wallets with 100 native coins each. Default 4. */
  relayers?: number;
  /**
   * The rules of the chain: `cancun`, which XDC's main network has, unless set. Apothem has `prague`
   * (EIP-7702) since block 83,600,000.
   */
  hardfork?: "cancun" | "prague";
  /**
   * Default 84,000,000, as in the code of XDC's node. The main network's start scripts set 420,000,000,
   * and Apothem's limit moves since block 83,600,000.
   */
  blockGasLimit?: number;
  /**
   * The least gas price, in wei, as XDC's nodes have it: blocks show it as their base fee, and cheaper
   * transactions are refused. `setGasPrice` changes it. Default: none.
   */
  gasPriceWei?: bigint;
  /**
   * Refuses requests from web pages of other sites, which could change balances. Set it where a person
   * uses a browser beside the chain; without it no proxy stands before the node. Default: false.
   */
  isGuarded?: boolean;
  /**
   * The runtime code of the channel contract and of its ERC-3009 collector. Default: stand-ins, which
   * follow the published contract's rules. Both are at the canonical addresses.
   */
  channelCode?: ChannelCode;
  /** Where `anvilPackage()` was installed, if anvil is not beside this package. */
  anvilFolder?: string;
}

export interface ChannelCode {
  readonly contract: Hex;
  readonly collector: Hex;
}

export type Devnet = Awaited<ReturnType<typeof furnish>>;

/** 1,000 USDC in base units. */
export const buyerUnits = 1_000_000_000n;

/** In wei: 100 XDC pay 70,000 settlements. */
export const nativeWei = 100n * 10n ** 18n;

export const smartWalletAddress: Address = "0x1271000000000000000000000000000000001271";

const xdcBlockTimeSeconds = 2;

const xdcBlockGasLimit = 84_000_000;

/** Hardhat #0, whose key the node holds. */
export const controlSender: Address = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";

/** 50,000 gas each, half of a block. */
const mintsPerBatch = 800;

export async function startDevnet(options: DevnetOptions = {}): Promise<Devnet> {
  const { chainId = 51, blockTimeSeconds = xdcBlockTimeSeconds } = options;
  const { buyers = 20, relayers = 4, port = 0, blockGasLimit = xdcBlockGasLimit } = options;
  if (![50, 51].includes(chainId)) throw new Error(`chainId must be 50 or 51, not ${chainId}`);
  if (!Number.isFinite(blockTimeSeconds) || blockTimeSeconds < 0) {
    throw new Error(`blockTimeSeconds must be 0 or more, not ${blockTimeSeconds}`);
  }
  const wallets = deriveWallets({ buyers, relayers });
  const { hardfork = "cancun" } = options;
  const flags = chainFlags({ chainId, blockTimeSeconds, blockGasLimit, hardfork });
  const { gasPriceWei, isGuarded = false, anvilFolder } = options;
  const hasFront = isGuarded || gasPriceWei !== undefined;
  // A browser asks the node first whether a page may send JSON; without these headers it may not.
  if (hasFront) flags.push("--no-cors");
  const anvil = await startAnvil({ port: hasFront ? 0 : port, flags, anvilFolder });
  try {
    const fronted = hasFront ? await startFronted(anvil, port, gasPriceWei) : undefined;
    const placed = { ...wallets, channelCode: options.channelCode ?? standIns };
    return await furnish(anvil, chainId, blockTimeSeconds, placed, fronted);
  } catch (error) {
    await anvil.stop();
    throw error;
  }
}

/** The code of the stand-ins, by which a check recognises them. */
export const standIns: ChannelCode = {
  contract: batchSettlementCode,
  collector: depositCollectorCode,
};

type Anvil = Awaited<ReturnType<typeof startAnvil>>;

/** A front, and its price, which is that of all blocks so far. */
interface Fronted {
  readonly front: Front;
  readonly gasPrice: GasPriceRule | undefined;
}

async function startFronted(anvil: Anvil, port: number, wei?: bigint): Promise<Fronted> {
  const upstream = urlOf(anvil);
  const gasPrice = wei === undefined ? undefined : createGasPrice(upstream, rpcTo(upstream), wei);
  const front = await startFront(port, anvil.port, gasPrice);
  // The chain can end by itself: its front goes with it.
  void anvil.ended.then(front.stop);
  return { front, gasPrice };
}

const urlOf = ({ port }: { port: number }) => `http://127.0.0.1:${port}`;

const rpcTo =
  (url: string): Rpc =>
  (method, params = []) =>
    sendCall(url, { method, params });

function chainFlags({
  chainId,
  blockTimeSeconds,
  blockGasLimit,
  hardfork,
}: Required<Pick<DevnetOptions, "blockTimeSeconds" | "blockGasLimit" | "hardfork">> & {
  readonly chainId: ChainId;
}): string[] {
  const flags: Record<string, string> = {
    "--chain-id": `${chainId}`,
    "--hardfork": hardfork,
    // `finalized` is then two blocks back, close to XDC's three.
    "--slots-in-an-epoch": "1",
    "--gas-limit": `${blockGasLimit}`,
    // XDC's base fee is constant; anvil's moves, but stays at a few wei when it starts at 0.
    "--block-base-fee-per-gas": "0",
    // Only the account of the test controls is unlocked.
    "--accounts": "1",
  };
  if (blockTimeSeconds > 0) flags["--block-time"] = `${blockTimeSeconds}`;
  return Object.entries(flags).flat();
}

async function furnish(
  anvil: Anvil,
  chainId: ChainId,
  blockTimeSeconds: number,
  {
    smartWalletOwner,
    channelCode,
    ...wallets
  }: ReturnType<typeof deriveWallets> & { channelCode: ChannelCode },
  fronted: Fronted | undefined,
) {
  const { usdc: token, domainSeparator, multicall3: places } = networkOfChain(chainId);
  const [multicall3] = places;
  if (!multicall3) throw new Error(`no Multicall3 address is known for chain ${chainId}`);
  const { buyers, relayers, seller, treasury } = wallets;
  const rpc = rpcTo(urlOf(anvil));
  const wallet = smartWalletAddress;

  await sendBatch(urlOf(anvil), [
    // Without this, one line per request.
    { method: "anvil_setLoggingEnabled", params: [false] },
    ...tokenPlacement(token),
    { method: "anvil_setCode", params: [multicall3, multicall3Code] },
    { method: "anvil_setCode", params: [wallet, sampleWalletCode] },
    ...channelPlacement(channelCode),
    {
      method: "anvil_setStorageAt",
      params: [wallet, toWord(BigInt(ownerSlot)), toWord(BigInt(smartWalletOwner.address))],
    },
    ...[...buyers, ...relayers, seller, treasury, smartWalletOwner].map(({ address }) => ({
      method: "anvil_setBalance",
      params: [address, `0x${nativeWei.toString(16)}`],
    })),
  ]);
  const controls = createControls({ rpc, token, domainSeparator, wallet, sender: controlSender });
  await mintAll(rpc, { token, multicall3 }, [...buyers.map(({ address }) => address), wallet]);
  return {
    ...controls,
    ...wallets,
    chainId,
    rpcUrl: urlOf(fronted?.front ?? anvil),
    blockTimeSeconds,
    /** In wei; undefined without `gasPriceWei`. */
    gasPrice: () => fronted?.gasPrice?.now(),
    /**
     * Steps the least gas price, in wei, from the next block on; what the pool has below it is dropped.
     * Throws where the devnet was started without `gasPriceWei`.
     */
    setGasPrice: (wei: bigint) => setGasPrice(fronted, wei),
    /** The stand-in USDC, at the network's canonical address. */
    token,
    /** The same as the real token's. */
    domainSeparator,
    multicall3,
    /** Asks the chain itself, also where `rpcUrl` has a least gas price. */
    rpc,
    /** An ERC-1271 wallet with 1,000 USDC, see `walletMode`. */
    smartWallet: { address: wallet, owner: smartWalletOwner },
    pid: anvil.pid,
    /** Resolves when the chain has ended, by `stop` or by itself. */
    ended: anvil.ended,
    /** Resolves when no process and no file of the chain is left. */
    stop: async () => {
      await fronted?.front.stop();
      await anvil.stop();
    },
  };
}

async function setGasPrice(fronted: Fronted | undefined, wei: bigint): Promise<void> {
  const gasPrice = fronted?.gasPrice;
  if (!gasPrice) throw new Error("This devnet was started without a gas price");
  await gasPrice.set(wei);
}

function channelPlacement({ contract, collector }: ChannelCode) {
  return [
    { method: "anvil_setCode", params: [channelContract, contract] },
    { method: "anvil_setCode", params: [depositCollector, collector] },
  ];
}

/** Real transactions, so that the funding has its events and the supply is right. */
async function mintAll(
  rpc: Rpc,
  at: { token: Address; multicall3: Address },
  accounts: Address[],
): Promise<void> {
  for (let first = 0; first < accounts.length; first += mintsPerBatch) {
    const mints = accounts
      .slice(first, first + mintsPerBatch)
      .map((account) => tokenCalls.mint(account, buyerUnits));
    const data = encodeBatch(at.token, mints);
    await rpc("eth_sendTransaction", [{ from: controlSender, to: at.multicall3, data }]);
    await rpc("evm_mine");
  }
}
