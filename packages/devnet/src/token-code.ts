/** The stand-in token: a proxy at the token's address, with two contracts behind it. */
import type { Address, Hex } from "@farthing/protocol";
import { toWord } from "./contract-calls.ts";
import {
  signatureCheckAddress,
  signatureCheckCode,
  standInUsdcCode,
  standInUsdcProxyCode,
} from "./generated/stand-in-usdc.ts";
import type { RpcCall } from "./json-rpc.ts";

const implementationAddress: Address = "0x3009000000000000000000000000000000003009";

/** The proxy does not forward this account's calls. It has no key: the code never changes. */
const adminAddress: Address = "0x3009000000000000000000000000000000000001";

/** keccak256 of `org.zeppelinos.proxy.implementation`. */
const implementationSlot: Hex =
  "0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3";

/** keccak256 of `org.zeppelinos.proxy.admin`. */
const adminSlot: Hex = "0x10d6a54a4754c8869d6886b5f5d7fbfa5b4522237ea5c60d11bc4e7a1ff9390b";

export function tokenPlacement(token: Address): RpcCall[] {
  const pointer = (slot: Hex, to: Address): RpcCall => ({
    method: "anvil_setStorageAt",
    params: [token, slot, toWord(BigInt(to))],
  });
  return [
    { method: "anvil_setCode", params: [token, standInUsdcProxyCode] },
    { method: "anvil_setCode", params: [implementationAddress, standInUsdcCode] },
    { method: "anvil_setCode", params: [signatureCheckAddress, signatureCheckCode] },
    pointer(implementationSlot, implementationAddress),
    pointer(adminSlot, adminAddress),
  ];
}
