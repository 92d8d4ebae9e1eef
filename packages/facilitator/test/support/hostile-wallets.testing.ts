/** Hostile contract wallets for tests: placed on the chain, and the payments they sign. */
import { hostileWalletCode, type Devnet } from "@farthing/devnet";
import {
  parseAddress,
  type Address,
  type Authorization,
  type Hex,
  type JsonObject,
} from "@farthing/protocol";
import { bodyOn, oneCent } from "./facilitator.testing.ts";

let walletsPlaced = 0;

/** Puts a hostile contract wallet on the chain, with a balance in USDC base units. */
export async function placeHostile(devnet: Devnet, units = oneCent): Promise<Address> {
  const digits = (++walletsPlaced).toString(16).padStart(8, "0");
  const wallet = parseAddress(`0x1271bad0${"0".repeat(24)}${digits}`);
  if (!wallet) throw new Error("The wallet's address is an address");
  await devnet.rpc("anvil_setCode", [wallet, hostileWalletCode]);
  await devnet.usdc.setBalance(wallet, units);
  return wallet;
}

/** A payment of a hostile wallet; the signature says what the wallet does. */
export function byHostile(
  devnet: Devnet,
  wallet: Address,
  signature: Hex,
  authorization: Partial<Authorization> = {},
): JsonObject {
  return bodyOn(devnet, {
    authorization: { from: wallet, ...authorization },
    alter: () => signature,
  });
}
