/**
 * Claims that a seller asks for by /settle cost what those of the vault cost, so that nobody gets gas for
 * nothing. Where the vault has reserved the claim of a channel, that is spent instead.
 */
import { atomic, type Database, type Work } from "@farthing/engine/storage";
import { toLowerHex, type Address } from "@farthing/protocol";
import type { ClaimedChannels } from "../../payments/channels/context.ts";
import { addMonthlyCredits } from "../credits/free-credits-store.ts";
import { lockFunds } from "../credits/funds-store.ts";
import { tellLowCredits } from "../credits/low-credits.ts";
import { addEntries, type ClaimPrice } from "./reservations.ts";
import { lockVouchers } from "./store.ts";

export interface PaidClaimStore {
  /**
   * Takes the credits of these claims from their account; returns how many, and undefined where it has
   * fewer.
   */
  payForClaims(
    claims: ClaimedChannels,
    price: ClaimPrice,
    now: number,
  ): Promise<number | undefined>;
  /** Gives credits back: the claim was not sent. */
  returnClaimCredits(account: Address, credits: number, now: number): Promise<void>;
}

export function createPaidClaimStore(database: Database): PaidClaimStore {
  return {
    payForClaims: atomic(database, payForClaims),
    returnClaimCredits: atomic(database, returnClaimCredits),
  };
}

const payForClaims: Work<PaidClaimStore["payForClaims"]> = async (
  inside,
  { account, chainId, channelIds },
  price,
  now,
) => {
  const known = await lockVouchers(inside, chainId, channelIds);
  const unreserved = channelIds.filter((id) => (known.get(id)?.reservedCredits ?? 0) === 0);
  const credits = unreserved.length * price.credits;
  if (credits === 0) return 0;
  const key = toLowerHex(account);
  const monthly = new Map(price.freeCredits > 0 ? [[key, price.freeCredits] as const] : []);
  await addMonthlyCredits(inside, monthly, now);
  const funds = await lockFunds(inside, [key]);
  if ((funds.get(key)?.available ?? 0) < credits) return undefined;
  const note = `Claim of ${unreserved.length} channels`;
  await addEntries(inside, [{ account, credits: -credits, note }], now);
  await tellLowCredits(inside, funds, new Map([[key, credits]]), now);
  return credits;
};

const returnClaimCredits: Work<PaidClaimStore["returnClaimCredits"]> = async (
  inside,
  account,
  credits,
  now,
) => {
  // The lock precedes the numbering of entries, so that their order is the order of the balance.
  await lockFunds(inside, [account]);
  const note = "Given back: the claim of channels was not sent";
  await addEntries(inside, [{ account, credits, note }], now);
};
