/** The batch contract and Safe wallets on a devnet, for tests over HTTP. */
import type { Devnet } from "@farthing/devnet";
import {
  deploySafe,
  designSafe,
  placeSafe,
  safeProxyFactory,
  signBySafe,
  wrapErc6492,
  type SafeWallet,
} from "@farthing/devnet/testing/safe";
import { batcherCode } from "@farthing/engine/source/chain/contracts/generated/batcher";
import {
  authorizationDigest,
  networkOfChain,
  type Address,
  type Hex,
  type JsonObject,
} from "@farthing/protocol";
import * as Hash from "ox/Hash";
import { authorizationOn, bodyOn, oneCent, type PaymentInput } from "./facilitator.testing.ts";

export const batcher: Address = "0xba7c4e8000000000000000000000000000000001";

/** Puts the batch contract and Safe's contracts on the chain. */
export async function placeContracts(devnet: Devnet): Promise<void> {
  await devnet.rpc("anvil_setCode", [batcher, batcherCode]);
  await placeSafe(devnet);
}

/** The setting that turns it on. */
export const withBatcher = { FARTHING_BATCHER_51: batcher };

let safesMade = 0;

/** A Safe with one US dollar. */
export async function makeSafe(
  devnet: Devnet,
  owners: number,
  threshold: number,
): Promise<SafeWallet> {
  const safe = await fundSafe(devnet, owners, threshold);
  await deploySafe(devnet, safe);
  return safe;
}

/** The same, not deployed yet. */
export async function fundSafe(
  devnet: Devnet,
  owners: number,
  threshold: number,
): Promise<SafeWallet> {
  const saltNonce = BigInt(++safesMade);
  const keys = Array.from({ length: owners }, (_, index): Hex =>
    Hash.keccak256(`0x${(index + 1).toString(16).padStart(64, "0")}`),
  );
  const safe = await designSafe(devnet, keys, { threshold, saltNonce });
  await devnet.usdc.setBalance(safe.address, 100n * oneCent);
  return safe;
}

/** The body of /verify and /settle for a payment of a Safe. */
export function bySafe(devnet: Devnet, safe: SafeWallet, input: PaymentInput = {}): JsonObject {
  const given = { ...input.authorization, from: safe.address };
  const authorization = authorizationOn(devnet, { ...input, authorization: given });
  const digest = authorizationDigest(networkOfChain(devnet.chainId), authorization);
  const { alter = (same: Hex) => same } = input;
  const signed = () => alter(signBySafe(devnet.chainId, safe, digest));
  return bodyOn(devnet, { ...input, authorization, alter: signed });
}

/** The same for a Safe that is not deployed: with the call of its factory (ERC-6492). */
export function byUndeployed(
  devnet: Devnet,
  safe: SafeWallet,
  input: PaymentInput = {},
): JsonObject {
  const alter = (signature: Hex) => wrapErc6492(safeProxyFactory, safe.factoryCall, signature);
  return bySafe(devnet, safe, { ...input, alter });
}
