/**
 * A local chain that looks like XDC to an x402 program: chain id, stand-in USDC at the canonical
 * address with the canonical EIP-712 domain, Multicall3, funded wallets. It promises the token's
 * behaviour, not the node's: XDC's nonce limit, gas price floor and error texts are not here.
 */
import { networkOfChain, type Address, type ChainId, type Hex } from "@farthing/protocol";
import { startAnvil, type AnvilProcess } from "./anvil-process.ts";
import { createControls, type ChainControls, type Rpc } from "./chain-controls.ts";
import { encodeBatch, tokenCalls, toWord } from "./contract-calls.ts";
import { multicall3Code } from "./generated/multicall3.ts";
import { ownerSlot, sampleWalletCode } from "./generated/sample-wallet.ts";
import { sendBatch, sendCall, type RpcCall } from "./json-rpc.ts";
import { tokenPlacement } from "./token-code.ts";
import { deriveWallets, type DevnetWallet, type DevnetWallets } from "./wallets.ts";

/** How to start a devnet. */
export interface DevnetOptions {
  /**
   * Default 51, the test network. Take 50 only with the devnet's own keys: the token stands at the
   * real USDC address, so what a real wallet signs for this chain 50 is a valid payment on XDC
   * mainnet, and whoever sees the signature can submit it there.
   */
  chainId?: ChainId;
  /** Default: a free one. Only 127.0.0.1 is served. */
  port?: number;
  /**
   * Default 2, XDC's block period. With 0 every transaction gets a block at once, and there are no
   * others: chain time stands still in between, so mine one after waiting.
   */
  blockTimeSeconds?: number;
  /** Wallets with 1,000 USDC each. Default 20. */
  buyers?: number;
  /** Wallets with 100 native coins each. Default 4. */
  relayers?: number;
  /** Default 84,000,000, XDC's own; the start scripts of its main network set 420,000,000. */
  blockGasLimit?: number;
}

/** A running devnet. Balances at the start: see {@link DevnetOptions} and `buyerUnits`. */
export interface Devnet extends ChainControls {
  readonly chainId: ChainId;
  readonly rpcUrl: string;
  readonly blockTimeSeconds: number;
  /** The stand-in USDC, at the network's canonical address. */
  readonly token: Address;
  /** Equals the real token's on the network of this chain id. */
  readonly domainSeparator: Hex;
  readonly multicall3: Address;
  readonly buyers: readonly DevnetWallet[];
  readonly relayers: readonly DevnetWallet[];
  /** Receives payments; starts without USDC. */
  readonly seller: DevnetWallet;
  /** The operator's; starts without USDC. */
  readonly treasury: DevnetWallet;
  /** An ERC-1271 wallet with 1,000 USDC, see `walletMode`. */
  readonly smartWallet: { readonly address: Address; readonly owner: DevnetWallet };
  /** Of the chain's process. */
  readonly pid: number;
  readonly rpc: Rpc;
  /** Resolves when the chain has ended, by `stop` or by itself. */
  readonly ended: Promise<void>;
  /** Ends the chain and removes its files. Resolves when no process of it is left. */
  stop(): Promise<void>;
}

/** What each buyer and the contract wallet hold at the start: 1,000 USDC in base units. */
export const buyerUnits = 1_000_000_000n;

/** What every wallet holds in native coin at the start, in wei: 100 XDC pay 70,000 settlements. */
export const nativeWei = 100n * 10n ** 18n;

/** The sample contract wallet; the number of its standard at both ends. */
export const smartWalletAddress: Address = "0x1271000000000000000000000000000000001271";

/** XDC's block period. */
const xdcBlockTimeSeconds = 2;

/** XDC's default block gas limit. */
const xdcBlockGasLimit = 84_000_000;

/** Hardhat #0, whose key the node holds. It sends the test controls. */
const controlSender: Address = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";

/** Mints in one transaction: 50,000 gas each, half of a block. */
const mintsPerBatch = 800;

/** Starts a devnet and resolves when everything is in place. */
export async function startDevnet(options: DevnetOptions = {}): Promise<Devnet> {
  const { chainId = 51, blockTimeSeconds = xdcBlockTimeSeconds } = options;
  const { buyers = 20, relayers = 4, port = 0, blockGasLimit = xdcBlockGasLimit } = options;
  if (![50, 51].includes(chainId)) throw new Error(`chainId must be 50 or 51, not ${chainId}`);
  if (!Number.isFinite(blockTimeSeconds) || blockTimeSeconds < 0) {
    throw new Error(`blockTimeSeconds must be 0 or more, not ${blockTimeSeconds}`);
  }
  const wallets = deriveWallets({ buyers, relayers });
  const flags = chainFlags({ chainId, blockTimeSeconds, blockGasLimit });
  const anvil = await startAnvil({ port, flags });
  try {
    return await furnish(anvil, { chainId, blockTimeSeconds, wallets });
  } catch (error) {
    await anvil.stop();
    throw error;
  }
}

function chainFlags({
  chainId,
  blockTimeSeconds,
  blockGasLimit,
}: Required<Pick<DevnetOptions, "chainId" | "blockTimeSeconds" | "blockGasLimit">>): string[] {
  const flags: Record<string, string> = {
    "--chain-id": `${chainId}`,
    // XDC has Cancun and nothing later.
    "--hardfork": "cancun",
    // `finalized` is then two blocks behind the head, close to XDC's three-block rule.
    "--slots-in-an-epoch": "1",
    "--gas-limit": `${blockGasLimit}`,
    // XDC's base fee is constant. anvil's moves, and from 0 it cannot climb above a few wei, so
    // no test ever meets a price that rose under load.
    "--block-base-fee-per-gas": "0",
    // Only the account of the test controls is unlocked.
    "--accounts": "1",
  };
  if (blockTimeSeconds > 0) flags["--block-time"] = `${blockTimeSeconds}`;
  return Object.entries(flags).flat();
}

interface Furnishing {
  chainId: ChainId;
  blockTimeSeconds: number;
  wallets: DevnetWallets;
}

async function furnish(anvil: AnvilProcess, plan: Furnishing): Promise<Devnet> {
  const { chainId, blockTimeSeconds, wallets } = plan;
  const { usdc: token, domainSeparator, multicall3: places } = networkOfChain(chainId);
  const [multicall3] = places;
  if (!multicall3) throw new Error(`no Multicall3 address is known for chain ${chainId}`);
  const rpcUrl = `http://127.0.0.1:${anvil.port}`;
  const rpc: Rpc = (method, params = []) => sendCall(rpcUrl, { method, params });
  const wallet = smartWalletAddress;

  await sendBatch(rpcUrl, [
    // One line per request otherwise, which nobody reads.
    { method: "anvil_setLoggingEnabled", params: [false] },
    ...tokenPlacement(token),
    { method: "anvil_setCode", params: [multicall3, multicall3Code] },
    { method: "anvil_setCode", params: [wallet, sampleWalletCode] },
    {
      method: "anvil_setStorageAt",
      params: [wallet, toWord(BigInt(ownerSlot)), toWord(BigInt(wallets.smartWalletOwner.address))],
    },
    ...nativeFunding(wallets),
  ]);
  const controls = createControls({ rpc, token, domainSeparator, wallet, sender: controlSender });
  await mintAll(rpc, { token, multicall3 }, [
    ...wallets.buyers.map(({ address }) => address),
    wallet,
  ]);
  const { buyers, relayers, seller, treasury, smartWalletOwner } = wallets;
  return {
    ...controls,
    chainId,
    rpcUrl,
    blockTimeSeconds,
    token,
    domainSeparator,
    multicall3,
    buyers,
    relayers,
    seller,
    treasury,
    rpc,
    smartWallet: { address: wallet, owner: smartWalletOwner },
    pid: anvil.pid,
    ended: anvil.ended,
    stop: () => anvil.stop(),
  };
}

function nativeFunding(wallets: DevnetWallets): RpcCall[] {
  const { buyers, relayers, seller, treasury, smartWalletOwner } = wallets;
  return [...buyers, ...relayers, seller, treasury, smartWalletOwner].map(({ address }) => ({
    method: "anvil_setBalance",
    params: [address, `0x${nativeWei.toString(16)}`],
  }));
}

/** Mints by real transactions, so that the funding has its events and the supply is right. */
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
