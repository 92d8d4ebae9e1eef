/** What every settle shares, of payments and of deposits to channels. */
import { shortUsdc, unitsPerCredit } from "@farthing/protocol";
import { assert } from "@farthing/engine/base";
import { HttpProblem } from "../http/messages/responses.ts";
import { sellersMatter } from "../http/access/authenticate.ts";

/** Many proxies and clients give up after 30 s. */
export const outcomeWaitMs = 25_000;

const denialMessages = {
  unauthorized: "The seller's API key is no longer valid; the seller needs another one.",
  seller_plan_inactive: sellersMatter,
  insufficient_facilitator_credits: sellersMatter,
} as const;

const errorCodeOfDenial: Readonly<Partial<Record<string, keyof typeof denialMessages>>> = {
  key_not_valid: "unauthorized",
  seller_plan_inactive: "seller_plan_inactive",
  insufficient_facilitator_credits: "insufficient_facilitator_credits",
};

/** `credits`: what a settlement costs now. */
export function denialProblem(denial: string, credits: number): HttpProblem {
  const code = errorCodeOfDenial[denial];
  assert(code, `the denial ${denial} has a response`);
  const price = `A settlement costs ${credits} credits (${shortUsdc(BigInt(credits) * unitsPerCredit)} USDC) now.`;
  const isShort = code === "insufficient_facilitator_credits";
  return new HttpProblem(code, isShort ? `${denialMessages[code]} ${price}` : denialMessages[code]);
}
