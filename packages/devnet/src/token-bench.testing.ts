/**
 * Runs one call to the stand-in token at an exact block time and tells what became of it: the
 * revert reason, or the names of the events. Each case starts from the same chain state.
 */
export * from "./authorizations.testing.ts";
import * as AbiParameters from "ox/AbiParameters";
import type { Address, ChainId, Hex } from "@farthing/protocol";
import {
  encodeAuthorization,
  revertReason,
  sign,
  type Overload,
  type Terms,
} from "./authorizations.testing.ts";
import { startDevnet, type Devnet } from "./devnet.ts";
import { RpcError } from "./json-rpc.ts";

/** A log as JSON-RPC gives it. */
export interface Log {
  address: Address;
  topics: Hex[];
  data: Hex;
  logIndex: Hex;
}

/** What became of a call. */
export interface Outcome {
  /** Undefined when it went through. */
  reverted: string | undefined;
  /** Event names in the order of the log. */
  events: string[];
  logs: Log[];
}

/** The time of the block in which every case runs, Unix seconds: in 2033, ahead of any clock. */
export const now = 2_000_000_000n;

/** Before {@link now}, so that the preparation of a case has blocks of its own. */
const preparedAt = Number(now) - 1_000;

/** Topics as the real token emits them, not computed here: a misspelled event must show. */
const eventNames: Record<Hex, string> = {
  "0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5": "AuthorizationUsed",
  "0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81": "AuthorizationCanceled",
  "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef": "Transfer",
  "0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925": "Approval",
  "0x6985a02210a168e66602d3235cb6db0e70f92b3ba4d376a33c0f3d9434bff625": "Pause",
  "0x7805862f689e2f13df9f062ff482ad3ad112aca9e0847911ed832e158c525b33": "Unpause",
};

/** Gas of every call: above what the contract wallet's worst mode can use up. */
const gasLimit = "0x7a1200";

/** A devnet with the means to run cases on it. */
export interface TokenBench {
  readonly devnet: Devnet;
  /** Puts the chain back to where every case starts. */
  reset(): Promise<void>;
  /** A payment of 1 USDC from buyer 0 to the seller, with the given changes. */
  terms(changes?: Partial<Terms>): Terms;
  /** Signs a transfer with the key of `terms.from`, or another. */
  signTransfer(terms: Terms, privateKey?: Hex): Hex;
  /** Sends a call in a block at {@link now}, or as soon after it as the chain allows. The sender is the first relayer if not given. */
  run(data: Hex, options?: { from?: Address; to?: Address }): Promise<Outcome>;
  /** Signs a transfer correctly and runs it. */
  pay(overload: Overload, changes?: Partial<Terms>): Promise<Outcome>;
}

/** Starts a chain for cases; the caller stops `devnet`. */
export async function startTokenBench(chainId: ChainId = 51): Promise<TokenBench> {
  const devnet = await startDevnet({ chainId, blockTimeSeconds: 0, buyers: 4, relayers: 1 });
  await devnet.rpc("anvil_autoImpersonateAccount", [true]);
  await devnet.setNextBlockTimestamp(preparedAt);
  await devnet.mine();
  let snapshot = await devnet.rpc<Hex>("evm_snapshot");
  const keys = new Map(devnet.buyers.map((buyer) => [buyer.address, buyer.privateKey]));
  keys.set(devnet.smartWallet.address, devnet.smartWallet.owner.privateKey);
  const [payer, relayer] = [devnet.buyers[0], devnet.relayers[0]];
  if (!payer || !relayer) throw new Error("the devnet has no wallets");

  const bench: TokenBench = {
    devnet,
    reset: async () => {
      await devnet.rpc("evm_revert", [snapshot]);
      snapshot = await devnet.rpc<Hex>("evm_snapshot");
    },
    terms: (changes) => ({
      from: payer.address,
      to: devnet.seller.address,
      value: 1_000_000n,
      validAfter: 0n,
      validBefore: now + 60n,
      nonce: `0x${"a1".repeat(32)}`,
      ...changes,
    }),
    signTransfer: (terms, privateKey = keys.get(terms.from) ?? payer.privateKey) =>
      sign(chainId, "TransferWithAuthorization", { ...terms }, privateKey),
    run: (data, { from = relayer.address, to = devnet.token } = {}) =>
      runCall(devnet, { from, to, data }),
    pay: (overload, changes) => {
      const terms = bench.terms(changes);
      const signature = bench.signTransfer(terms);
      return bench.run(
        encodeAuthorization("transferWithAuthorization", overload, terms, signature),
      );
    },
  };
  return bench;
}

async function runCall(
  devnet: Devnet,
  call: { from: Address; to: Address; data: Hex },
): Promise<Outcome> {
  // A case's second call may come after a block of its own, in which a second has passed.
  const latest = await devnet.rpc<{ timestamp: Hex }>("eth_getBlockByNumber", ["latest", false]);
  await devnet.setNextBlockTimestamp(Math.max(Number(now), Number(latest.timestamp)));
  const transaction = { ...call, gas: gasLimit };
  const hash = await devnet.rpc<Hex>("eth_sendTransaction", [transaction]);
  const receipt = await untilMined(devnet, hash);
  const events = receipt.logs.map(({ topics: [topic = "0x"] }) => eventNames[topic] ?? topic);
  if (receipt.status === "0x1") return { reverted: undefined, events, logs: receipt.logs };
  // A call sees the time of the latest block, and the failed one has changed nothing.
  const reverted = await reasonOf(devnet, { ...call, gas: gasLimit });
  return { reverted, events, logs: receipt.logs };
}

async function untilMined(devnet: Devnet, hash: Hex): Promise<{ status: Hex; logs: Log[] }> {
  // The node mines beside answering; bounded by the time limit of the test.
  for (;;) {
    const receipt = await devnet.rpc<{ status: Hex; logs: Log[] } | null>(
      "eth_getTransactionReceipt",
      [hash],
    );
    if (receipt) return receipt;
  }
}

async function reasonOf(devnet: Devnet, transaction: object): Promise<string> {
  try {
    await devnet.rpc("eth_call", [transaction, "latest"]);
    return "nothing: the call went through";
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return revertReason(error);
  }
}

/** The address in an indexed topic. */
export function topicAddress(topic: Hex | undefined): string {
  return `0x${(topic ?? "").slice(-40)}`;
}

/** The numbers in a log's data. */
export function logNumber({ data }: Log): bigint {
  const [value] = AbiParameters.decode(AbiParameters.from("uint256"), data);
  return value;
}

/** Presents a signed authorization, as anybody who has it may; gives the transaction. */
export function present(
  devnet: Devnet,
  { authorization, signature }: { readonly authorization: Terms; readonly signature: Hex },
): Promise<Hex> {
  const data = encodeAuthorization("transferWithAuthorization", "bytes", authorization, signature);
  const from = devnet.relayers[0]?.address;
  // A limit of its own: nothing is estimated, so what the token refuses is sent too.
  const call = { from, to: devnet.token, data, gas: "0x7a1200" };
  return devnet.rpc<Hex>("eth_sendTransaction", [call]);
}
