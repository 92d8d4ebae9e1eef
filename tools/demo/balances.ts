/** The balances of everyone in the demo, before and after the payments. */
import type { Address, Hex } from "@farthing/protocol";
import { price } from "./paid-api.ts";
import { parseUsdc } from "@farthing/protocol";
import type { DemoEnvironment } from "./environment.ts";

/** One holder's USDC in base units and native coin in wei. */
export interface Holding {
  readonly holder: "buyer" | "contract wallet" | "seller" | "relayer";
  readonly address: Address;
  readonly usdcUnits: bigint;
  readonly coinWei: bigint;
}

/** A holding at both ends of the demo. */
export interface Change {
  readonly before: Holding;
  readonly after: Holding;
}

/** Reads all holdings. */
export async function readHoldings({ devnet }: DemoEnvironment): Promise<Holding[]> {
  const holders = [
    ["buyer", devnet.buyers[0]?.address],
    ["contract wallet", devnet.smartWallet.address],
    ["seller", devnet.seller.address],
    ["relayer", devnet.relayers[0]?.address],
  ] as const;
  return Promise.all(
    holders.map(async ([holder, address]) => {
      if (!address) throw new Error(`The local chain has no ${holder}`);
      const usdcUnits = await devnet.usdc.balanceOf(address);
      const coinWei = BigInt(await devnet.rpc<Hex>("eth_getBalance", [address, "latest"]));
      return { holder, address, usdcUnits, coinWei };
    }),
  );
}

/**
 * Sets before and after side by side. Throws unless the seller has got the price of each payment
 * that was not refunded, and only the relayer has paid gas.
 */
export function compareHoldings(
  before: readonly Holding[],
  after: readonly Holding[],
  payments: number,
  refundedUnits: bigint,
): Change[] {
  const changes = before.map((holding, index) => {
    const now = after[index];
    if (!now) throw new Error(`The balance of the ${holding.holder} is missing`);
    return { before: holding, after: now };
  });
  const wanted = (parseUsdc(price) ?? 0n) * BigInt(payments) - refundedUnits;
  for (const change of changes) {
    const { holder } = change.before;
    const gained = change.after.usdcUnits - change.before.usdcUnits;
    if (holder === "seller" && gained !== wanted) {
      throw new Error(`The seller has ${gained} base units of ${payments} payments of ${price}`);
    }
    if (holder !== "relayer" && change.after.coinWei !== change.before.coinWei) {
      throw new Error(`The ${holder} has paid gas`);
    }
  }
  return changes;
}
