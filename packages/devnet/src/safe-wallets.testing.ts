/**
 * Safe 1.4.1 contract wallets on a devnet: the published code at the addresses that it has on XDC,
 * wallets with any owners and threshold, deployed or not, and their signatures.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as AbiFunction from "ox/AbiFunction";
import * as AbiParameters from "ox/AbiParameters";
import * as ContractAddress from "ox/ContractAddress";
import * as Hex from "ox/Hex";
import * as OxAddress from "ox/Address";
import * as Secp256k1 from "ox/Secp256k1";
import * as Signature from "ox/Signature";
import * as TypedData from "ox/TypedData";
import { zeroAddress, type Address, type Hex as HexText } from "@farthing/protocol";
import { controlSender, type Devnet } from "./devnet.ts";

interface CreationCode {
  readonly address: Address;
  readonly creationCode: HexText;
}

const safe: {
  readonly singletonFactory: { readonly address: Address; readonly code: HexText };
  readonly singleton: CreationCode;
  readonly proxyFactory: CreationCode;
  readonly fallbackHandler: CreationCode;
} = JSON.parse(readFileSync(join(import.meta.dirname, "../contracts/safe-1.4.1.json"), "utf8"));

/** Safe's own deployer, which gives a contract the same address on every chain. */
export const safeSingletonFactory: Address = safe.singletonFactory.address;

export const safeProxyFactory: Address = safe.proxyFactory.address;

/** A Safe that exists or can be deployed by anybody. */
export interface SafeWallet {
  readonly address: Address;
  /** Private keys of the owners who sign, as many as the threshold. */
  readonly signers: readonly HexText[];
  /** What deploys it, to be called at {@link safeProxyFactory}. */
  readonly factoryCall: HexText;
}

const setup = AbiFunction.from(
  "function setup(address[] owners, uint256 threshold, address to, bytes data, address fallbackHandler, address paymentToken, uint256 payment, address paymentReceiver)",
);
const createProxy = AbiFunction.from(
  "function createProxyWithNonce(address singleton, bytes initializer, uint256 saltNonce) returns (address proxy)",
);

const saltZero: HexText = `0x${"00".repeat(32)}`;

/** Puts Safe's contracts where they are on XDC. A changed byte would give another address. */
export async function placeSafe(devnet: Devnet): Promise<void> {
  const { address: deployer, code } = safe.singletonFactory;
  await devnet.rpc("anvil_setCode", [deployer, code]);
  for (const { address, creationCode } of [
    safe.singleton,
    safe.proxyFactory,
    safe.fallbackHandler,
  ]) {
    const created = ContractAddress.fromCreate2({
      from: deployer,
      salt: saltZero,
      bytecode: creationCode,
    });
    if (!OxAddress.isEqual(created, address)) throw new Error(`The code of ${address} is another`);
    await sendControl(devnet, deployer, Hex.concat(saltZero, creationCode));
  }
}

/**
 * A Safe with the first `threshold` of its owners as signers. `saltNonce` makes Safes of the same
 * owners different ones. It is not deployed; Safe's contracts must be in place.
 */
export async function designSafe(
  devnet: Devnet,
  owners: readonly HexText[],
  { threshold, saltNonce }: { readonly threshold: number; readonly saltNonce: bigint },
): Promise<SafeWallet> {
  const none = { data: "0x", payment: 0n } as const;
  const initializer = AbiFunction.encodeData(setup, [
    owners.map(addressOf),
    BigInt(threshold),
    zeroAddress,
    none.data,
    safe.fallbackHandler.address,
    zeroAddress,
    none.payment,
    zeroAddress,
  ]);
  const factoryCall = AbiFunction.encodeData(createProxy, [
    safe.singleton.address,
    initializer,
    saltNonce,
  ]);
  const call = { to: safe.proxyFactory.address, data: factoryCall };
  const answer = await devnet.rpc<HexText>("eth_call", [call, "latest"]);
  const address = OxAddress.checksum(AbiFunction.decodeResult(createProxy, answer));
  return { address, signers: owners.slice(0, threshold), factoryCall };
}

/** Deploys it, as its owner or anybody else may. */
export function deploySafe(devnet: Devnet, { factoryCall }: SafeWallet): Promise<void> {
  return sendControl(devnet, safe.proxyFactory.address, factoryCall);
}

/** What the Safe takes as its signature of a digest: one signature of each signer. */
export function signBySafe(
  chainId: number,
  { address, signers }: SafeWallet,
  digest: HexText,
): HexText {
  const payload = TypedData.getSignPayload({
    domain: { chainId, verifyingContract: address },
    types: { SafeMessage: [{ name: "message", type: "bytes" }] },
    primaryType: "SafeMessage",
    message: { message: digest },
  });
  // The Safe wants them in ascending order of the owners.
  const inOrder = signers.toSorted((one, other) =>
    addressOf(one).toLowerCase() < addressOf(other).toLowerCase() ? -1 : 1,
  );
  return Hex.concat(
    ...inOrder.map((privateKey) => Signature.toHex(Secp256k1.sign({ payload, privateKey }))),
  );
}

/** The ERC-6492 form of a signature, for a wallet that is not deployed. */
export function wrapErc6492(factory: Address, factoryCall: HexText, signature: HexText): HexText {
  const body = AbiParameters.encode(AbiParameters.from("address, bytes, bytes"), [
    factory,
    factoryCall,
    signature,
  ]);
  return Hex.concat(body, `0x${"6492".repeat(16)}`);
}

function addressOf(privateKey: HexText): Address {
  return OxAddress.fromPublicKey(Secp256k1.getPublicKey({ privateKey }));
}

/** More than any call here needs. */
const controlGas = "0x5b8d80";

/** 1,000 gwei: ahead of the program under test. */
const controlGasPrice = "0xe8d4a51000";

async function sendControl(devnet: Devnet, to: Address, data: HexText): Promise<void> {
  const call = { from: controlSender, to, data, gas: controlGas, gasPrice: controlGasPrice };
  const hash = await devnet.rpc<HexText>("eth_sendTransaction", [call]);
  await devnet.rpc("evm_mine");
  const receipt = await devnet.rpc<{ status: HexText }>("eth_getTransactionReceipt", [hash]);
  if (receipt.status !== "0x1") throw new Error(`The transaction to ${to} reverted`);
}
