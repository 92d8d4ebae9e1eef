/** Test controls of chain, token and contract wallet; each resolves when its effect is on chain. */
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

interface ControlTarget {
  readonly rpc: Rpc;
  readonly token: AccountAddress;
  readonly domainSeparator: Hex;
  readonly wallet: AccountAddress;
  /** An account whose key the node holds. */
  readonly sender: AccountAddress;
}

/** 1,000 gwei: ahead of the program under test, also when the pool is full. */
const controlGasPrice = "0xe8d4a51000";

/** More than one block only when the first is full. */
const controlBlocksMax = 10;

const balanceBits = (1n << 255n) - 1n;

export function createControls(target: ControlTarget) {
  const { rpc, token } = target;
  const send = createSender(target);
  const call = (data: Hex) => rpc<Hex>("eth_call", [{ to: token, data }, "latest"]);
  return {
    /** Amounts in USDC base units. */
    usdc: {
      balanceOf: async (account: AccountAddress) =>
        BigInt(await call(tokenCalls.balanceOf(account))),
      /** True once the authorization is used or canceled. */
      authorizationState: async (authorizer: AccountAddress, nonce: Hex) =>
        BigInt(await call(tokenCalls.authorizationState(authorizer, nonce))) === 1n,
      mint: (to: AccountAddress, units: bigint) => send(token, tokenCalls.mint(to, units)),
      /** Writes to storage: at once, with no block, no event and no total supply. */
      setBalance: (account: AccountAddress, units: bigint) => writeBalance(target, account, units),
      pause: () => send(token, tokenCalls.pause()),
      unpause: () => send(token, tokenCalls.unpause()),
      blacklist: (account: AccountAddress) => send(token, tokenCalls.blacklist(account)),
      unBlacklist: (account: AccountAddress) => send(token, tokenCalls.unBlacklist(account)),
      /** Changes the EIP-712 name, and so the domain separator; `""` undoes it. */
      rename: (name: string) => send(token, tokenCalls.rename(name)),
    },
    /** Sends a call from the account of the controls, ahead of all others. */
    send,
    /** Cancels an unused authorization, as its payer may. */
    cancelAuthorization: ({ privateKey, nonce }: { privateKey: Hex; nonce: Hex }) => {
      const authorizer = Address.fromPublicKey(Secp256k1.getPublicKey({ privateKey }));
      const cancellation = { authorizer, privateKey, nonce };
      const signature = signCancellation(target.domainSeparator, cancellation);
      return send(token, tokenCalls.cancelAuthorization(authorizer, nonce, signature));
    },
    /** Sets how the sample contract wallet responds to signature checks. */
    walletMode: (mode: WalletMode) => send(target.wallet, walletCalls.setMode(mode)),
    walletOwner: (owner: AccountAddress) => send(target.wallet, walletCalls.setOwner(owner)),
    /** Mines blocks now; the block time stays. */
    mine: async (blocks = 1) => {
      await rpc("anvil_mine", [blocks]);
    },
    /** Sets the next block's time in Unix seconds; later blocks count on from there. */
    setNextBlockTimestamp: async (seconds: number) => {
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
