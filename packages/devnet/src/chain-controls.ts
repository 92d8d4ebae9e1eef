/**
 * The devnet's test controls of chain, token and contract wallet. Each resolves when its effect is
 * on chain, also between two blocks.
 */
import * as Address from "ox/Address";
import * as Secp256k1 from "ox/Secp256k1";
import { createSerialQueue, type Address as AccountAddress, type Hex } from "@farthing/protocol";
import {
  mappingSlot,
  signCancellation,
  tokenCalls,
  toWord,
  walletCalls,
  type WalletMode,
} from "./contract-calls.ts";
import { balanceWordsSlot } from "./generated/stand-in-usdc.ts";

/** Throws `RpcError`. */
export type Rpc = <T>(method: string, params?: unknown[]) => Promise<T>;

export interface ControlTarget {
  readonly rpc: Rpc;
  readonly token: AccountAddress;
  readonly domainSeparator: Hex;
  readonly wallet: AccountAddress;
  /** An account whose key the node holds. */
  readonly sender: AccountAddress;
}

/** Amounts in USDC base units. */
export interface UsdcControls {
  balanceOf(account: AccountAddress): Promise<bigint>;
  /** True once the authorization is used or canceled. */
  authorizationState(authorizer: AccountAddress, nonce: Hex): Promise<boolean>;
  mint(to: AccountAddress, units: bigint): Promise<void>;
  /** Writes to storage: at once, with no block, no event and no total supply. */
  setBalance(account: AccountAddress, units: bigint): Promise<void>;
  pause(): Promise<void>;
  unpause(): Promise<void>;
  blacklist(account: AccountAddress): Promise<void>;
  unBlacklist(account: AccountAddress): Promise<void>;
  /** Changes the EIP-712 name, and so the domain separator; `""` undoes it. */
  rename(name: string): Promise<void>;
}

export interface ChainControls {
  readonly usdc: UsdcControls;
  /** Cancels an unused authorization, as its payer may. */
  cancelAuthorization(cancellation: { privateKey: Hex; nonce: Hex }): Promise<void>;
  /** Sets how the sample contract wallet responds to signature checks. */
  walletMode(mode: WalletMode): Promise<void>;
  walletOwner(owner: AccountAddress): Promise<void>;
  /** Mines blocks now, one by default; the block time stays. */
  mine(blocks?: number): Promise<void>;
  /** Sets the next block's time in Unix seconds; later blocks count on from there. */
  setNextBlockTimestamp(seconds: number): Promise<void>;
}

/** 1,000 gwei: ahead of the program under test, also when the pool is full. */
const controlGasPrice = "0xe8d4a51000";

/** More than one block only when the first is full. */
const controlBlocksMax = 10;

const balanceBits = (1n << 255n) - 1n;

export function createControls(target: ControlTarget): ChainControls {
  const { rpc, token } = target;
  const send = createSender(target);
  const call = (data: Hex) => rpc<Hex>("eth_call", [{ to: token, data }, "latest"]);
  return {
    usdc: {
      balanceOf: async (account) => BigInt(await call(tokenCalls.balanceOf(account))),
      authorizationState: async (authorizer, nonce) =>
        BigInt(await call(tokenCalls.authorizationState(authorizer, nonce))) === 1n,
      mint: (to, units) => send(token, tokenCalls.mint(to, units)),
      setBalance: (account, units) => writeBalance(target, account, units),
      pause: () => send(token, tokenCalls.pause()),
      unpause: () => send(token, tokenCalls.unpause()),
      blacklist: (account) => send(token, tokenCalls.blacklist(account)),
      unBlacklist: (account) => send(token, tokenCalls.unBlacklist(account)),
      rename: (name) => send(token, tokenCalls.rename(name)),
    },
    cancelAuthorization: ({ privateKey, nonce }) => {
      const authorizer = Address.fromPublicKey(Secp256k1.getPublicKey({ privateKey }));
      const cancellation = { authorizer, privateKey, nonce };
      const signature = signCancellation(target.domainSeparator, cancellation);
      return send(token, tokenCalls.cancelAuthorization(authorizer, nonce, signature));
    },
    walletMode: (mode) => send(target.wallet, walletCalls.setMode(mode)),
    walletOwner: (owner) => send(target.wallet, walletCalls.setOwner(owner)),
    mine: async (blocks = 1) => {
      await rpc("anvil_mine", [blocks]);
    },
    setNextBlockTimestamp: async (seconds) => {
      await rpc("evm_setNextBlockTimestamp", [seconds]);
    },
  };
}

/** One after the other: the node numbers them by what it has seen. */
function createSender({ rpc, sender }: ControlTarget) {
  const inTurn = createSerialQueue();
  const sendOne = async (to: AccountAddress, data: Hex): Promise<void> => {
    const transaction = { from: sender, to, data, gasPrice: controlGasPrice };
    // Refuses what would revert with its reason, which a receipt lacks.
    await rpc("eth_call", [transaction, "latest"]);
    const hash = await rpc<Hex>("eth_sendTransaction", [transaction]);
    for (let block = 0; block < controlBlocksMax; block++) {
      const receipt = await rpc<{ status: Hex } | null>("eth_getTransactionReceipt", [hash]);
      if (receipt?.status === "0x1") return;
      if (receipt) throw new Error(`The control transaction ${hash} reverted`);
      await rpc("evm_mine");
    }
    throw new Error(`The control transaction ${hash} is in none of ${controlBlocksMax} blocks`);
  };
  return (to: AccountAddress, data: Hex) => inTurn(() => sendOne(to, data));
}

async function writeBalance(target: ControlTarget, account: AccountAddress, units: bigint) {
  if (units < 0n || units > balanceBits) throw new Error(`${units} is no balance`);
  const slot = mappingSlot(account, balanceWordsSlot);
  const word = await target.rpc<Hex>("eth_getStorageAt", [target.token, slot, "latest"]);
  const blacklisted = BigInt(word) & ~balanceBits;
  await target.rpc("anvil_setStorageAt", [target.token, slot, toWord(blacklisted | units)]);
}
