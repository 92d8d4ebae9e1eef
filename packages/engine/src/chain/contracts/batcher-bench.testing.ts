/** Batches through the Batcher on a real node, for tests: members of every kind, and what they did. */
import * as AbiFunction from "ox/AbiFunction";
import * as Hash from "ox/Hash";
import * as Hex from "ox/Hex";
import {
  hostileFactoryCall,
  hostileFactoryCode,
  hostileSignature,
  hostileWalletCode,
  startDevnet,
  type Devnet,
  type FactoryTrick,
  type HostileTrick,
} from "@farthing/devnet";
import { encodeAuthorization, type Terms } from "@farthing/devnet/testing";
import {
  deploySafe,
  designSafe,
  placeSafe,
  safeProxyFactory,
  signBySafe,
  type SafeWallet,
} from "@farthing/devnet/testing/safe";
import {
  authorizationDigest,
  networkOfChain,
  type Address,
  type Hex as HexText,
} from "@farthing/protocol";
import * as Secp256k1 from "ox/Secp256k1";
import * as Signature from "ox/Signature";
import { encodeLimitedBatch, gasOfLimitedBatch, type LimitedCall } from "./batch-contract.ts";
import { batcherCode } from "./generated/batcher.ts";

/** A payment with its calls: one, or two when a factory is called before it. */
export interface Member {
  readonly terms: Terms;
  readonly calls: readonly LimitedCall[];
}

const settle = AbiFunction.from([
  "struct Call { address to; uint64 gasLimit; bytes data; }",
  "struct Result { bool success; uint256 gasUsed; bytes returnData; }",
  "function settle(Call[] calls) returns (Result[] results)",
]);

export const batcherAddress: Address = "0xBa7c4e8000000000000000000000000000000001";
export const hostileWallet: Address = "0xBad0000000000000000000000000000000000001";
export const hostileFactory: Address = "0xBad0000000000000000000000000000000000002";

/** Gas of a plain payment's call, the payee's first USDC included, with a reserve. */
export const plainGas = 110_000n;
/** Gas of a contract payer's call at most. */
export const contractGas = 400_000n;

export type BatcherBench = Awaited<ReturnType<typeof startBatcherBench>>;

/** Starts a chain with the Batcher, Safe's contracts, and hostile contracts; the caller stops `devnet`. */
export async function startBatcherBench() {
  const devnet = await startDevnet({ blockTimeSeconds: 0, buyers: 8, relayers: 1 });
  await devnet.rpc("anvil_autoImpersonateAccount", [true]);
  await devnet.rpc("anvil_setCode", [batcherAddress, batcherCode]);
  await devnet.rpc("anvil_setCode", [hostileWallet, hostileWalletCode]);
  await devnet.rpc("anvil_setCode", [hostileFactory, hostileFactoryCode]);
  await placeSafe(devnet);
  return {
    devnet,
    ...createMembers(devnet),
    run: (members: readonly Member[], gas?: bigint) => run(devnet, members, gas),
    simulate: (members: readonly Member[], gas?: bigint) => simulate(devnet, members, gas),
  };
}

/** Signs payments of every kind, each with a nonce of its own. */
function createMembers(devnet: Devnet) {
  const network = networkOfChain(devnet.chainId);
  let made = 0;

  /** A payment of 1 base unit, then 2, 3 and so on: the sum tells which were made. */
  function nextTerms(from: Address): Terms {
    made += 1;
    return {
      from,
      to: devnet.seller.address,
      value: BigInt(made),
      validAfter: 0n,
      validBefore: 4_000_000_000n,
      nonce: Hex.fromNumber(made, { size: 32 }),
    };
  }

  const digestOf = (terms: Terms) => authorizationDigest(network, terms);

  function transfer(terms: Terms, signature: HexText, gasLimit: bigint): LimitedCall {
    const data = encodeAuthorization("transferWithAuthorization", "bytes", terms, signature);
    return { to: devnet.token, gasLimit, data };
  }

  function plain(buyer = 0, gasLimit = plainGas): Member {
    const wallet = devnet.buyers[buyer];
    if (!wallet) throw new Error("no such buyer");
    const terms = nextTerms(wallet.address);
    const payload = digestOf(terms);
    const signature = Signature.toHex(Secp256k1.sign({ payload, privateKey: wallet.privateKey }));
    return { terms, calls: [transfer(terms, signature, gasLimit)] };
  }

  /** A Safe with funds; it is not deployed unless asked for. */
  async function makeSafe(
    owners: number,
    threshold: number,
    isDeployed: boolean,
  ): Promise<SafeWallet> {
    made += 1;
    const keys = Array.from({ length: owners }, (_, index) =>
      Hash.keccak256(Hex.fromNumber(index + 1, { size: 32 })),
    );
    const safe = await designSafe(devnet, keys, { threshold, saltNonce: BigInt(made) });
    await devnet.usdc.setBalance(safe.address, 1_000_000n);
    if (isDeployed) await deploySafe(devnet, safe);
    return safe;
  }

  function bySafe(safe: SafeWallet, gasLimit = contractGas): Member {
    const terms = nextTerms(safe.address);
    const signature = signBySafe(devnet.chainId, safe, digestOf(terms));
    return { terms, calls: [transfer(terms, signature, gasLimit)] };
  }

  async function byUndeployedSafe(): Promise<Member> {
    const safe = await makeSafe(1, 1, false);
    const { terms, calls } = bySafe(safe);
    const deployment = { to: safeProxyFactory, gasLimit: contractGas, data: safe.factoryCall };
    return { terms, calls: [deployment, ...calls] };
  }

  /** A payment of the hostile wallet, whose trick `reenter` runs `inner`. */
  function byHostile(trick: HostileTrick, inner: readonly Member[] = []): Member {
    const terms = nextTerms(hostileWallet);
    const signature = hostileSignature(trick, batcherAddress, encode(inner));
    return { terms, calls: [transfer(terms, signature, contractGas)] };
  }

  /** A factory that does harm, before a payment that nobody has signed. */
  function byFactory(trick: FactoryTrick, inner: readonly Member[] = []): Member {
    const terms = nextTerms("0x00000000000000000000000000000000000A11CE");
    const data = hostileFactoryCall(trick, batcherAddress, encode(inner));
    const deployment = { to: hostileFactory, gasLimit: contractGas, data };
    return { terms, calls: [deployment, transfer(terms, "0x1234", contractGas)] };
  }

  return { plain, makeSafe, bySafe, byUndeployedSafe, byHostile, byFactory };
}

function callOf(devnet: Devnet, members: readonly Member[], gas: bigint) {
  return {
    from: devnet.relayers[0]?.address,
    to: batcherAddress,
    data: encode(members),
    gas: Hex.fromNumber(gas),
  };
}

async function run(devnet: Devnet, members: readonly Member[], gas = gasOf(members)) {
  const before = await devnet.usdc.balanceOf(devnet.seller.address);
  const hash = await devnet.rpc<HexText>("eth_sendTransaction", [callOf(devnet, members, gas)]);
  const receipt = await untilMined(devnet, hash);
  const after = await devnet.usdc.balanceOf(devnet.seller.address);
  const gasUsed = BigInt(receipt.gasUsed);
  return { status: receipt.status, gasUsed, received: after - before };
}

async function simulate(devnet: Devnet, members: readonly Member[], gas = gasOf(members)) {
  const answer = await devnet.rpc<HexText>("eth_call", [callOf(devnet, members, gas), "latest"]);
  return AbiFunction.decodeResult(settle, answer);
}

/** Calldata of a batch. */
export function encode(members: readonly Member[]): HexText {
  return encodeLimitedBatch(members.flatMap((member) => member.calls));
}

/** Gas with which every call gets its limit, whatever the others do. */
export function gasOf(members: readonly Member[]): bigint {
  return gasOfLimitedBatch(members.flatMap((member) => member.calls));
}

/** Whether a payment was made: the token has used its authorization. */
export function isPaid({ devnet }: BatcherBench, { terms }: Member): Promise<boolean> {
  return devnet.usdc.authorizationState(terms.from, terms.nonce);
}

async function untilMined(
  devnet: Devnet,
  hash: HexText,
): Promise<{ status: HexText; gasUsed: HexText }> {
  // The node mines beside answering; bounded by the time limit of the test.
  for (;;) {
    const receipt = await devnet.rpc<{ status: HexText; gasUsed: HexText } | null>(
      "eth_getTransactionReceipt",
      [hash],
    );
    if (receipt) return receipt;
  }
}
