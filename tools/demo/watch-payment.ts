/**
 * Reports the steps of a payment as they happen, by wrapping the buyer's fetch, the wallet and the
 * seller's facilitator client. The wrappers change nothing.
 */
import {
  formatUsdc,
  headerNames,
  isObject,
  member,
  parseUint256,
  statusOf,
  type Address,
} from "@farthing/protocol";
import type { Facilitator, SettleOutcome } from "@farthing/seller";

/** One step, in words for a person. */
export interface Step {
  readonly name:
    | "402"
    | "signed"
    | "verified"
    | "sent"
    | "settled"
    | "refused"
    | "refunded"
    | "deposit"
    | "claimed"
    | "balances"
    | "content";
  readonly text: string;
  /** Of the transaction, where the step is about one. */
  readonly hash?: string;
}

/** Receives steps. The demo makes one payment at a time, so no step names its payment. */
export type StepListener = (step: Step) => void;

/** A fetch that reports the 402. */
export function watchFetch(report: StepListener): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const isPaid = [headerNames.paymentSignature, headerNames.xPayment].some((name) =>
      request.headers.has(name),
    );
    const response = await fetch(request);
    if (response.status === 402 && !isPaid)
      report({ name: "402", text: await readPrice(response) });
    return response;
  };
}

/** Reads the price of a challenge, in words. */
async function readPrice(response: Response): Promise<string> {
  const body: unknown = await response.clone().json();
  const offers: unknown = isObject(body) ? member(body, "accepts") : undefined;
  const offer: unknown = Array.isArray(offers) ? offers[0] : undefined;
  if (!isObject(offer)) return "unreadable price";
  const units = parseUint256(member(offer, "maxAmountRequired") ?? member(offer, "amount"));
  const price = units === undefined ? "?" : formatUsdc(units);
  return `${price} USDC, to ${shorten(String(member(offer, "payTo")))}`;
}

/** A wallet as both buyers take it. */
interface Wallet {
  readonly address: Address;
  signTypedData(typedData: never): Promise<`0x${string}`>;
}

/** A wallet that reports its signatures. */
export function watchWallet<T extends Wallet>(wallet: T, report: StepListener): T {
  return {
    ...wallet,
    signTypedData: async (typedData: never) => {
      const signature = await wallet.signTypedData(typedData);
      const bytes = (signature.length - 2) / 2;
      report({ name: "signed", text: `by ${shorten(wallet.address)}: ${bytes} bytes, no gas` });
      return signature;
    },
  };
}

/** The seller's facilitator client, reporting its outcomes. */
export function watchFacilitator(facilitator: Facilitator, report: StepListener): Facilitator {
  const tellSettlement = (outcome: SettleOutcome | { readonly kind: "not_found" }): void => {
    if (outcome.kind !== "settlement") {
      report({ name: "refused", text: "code" in outcome ? outcome.code : outcome.kind });
      return;
    }
    const { settlement } = outcome;
    const { transaction: hash, errorReason = "no reason" } = settlement;
    const status = statusOf(settlement);
    if (status === "failed") report({ name: "refused", text: errorReason });
    if (status === "confirmed") report({ name: "settled", text: "transaction", hash });
  };
  return {
    async verify(request, limit) {
      const outcome = await facilitator.verify(request, limit);
      if (outcome.kind !== "verdict") report({ name: "refused", text: outcome.message });
      else if (outcome.verdict.isValid)
        report({ name: "verified", text: "no money has moved yet" });
      else report({ name: "refused", text: outcome.verdict.invalidReason ?? "no reason" });
      return outcome;
    },
    async settle(request, limit) {
      // The facilitator responds once the outcome is known.
      report({ name: "sent", text: "waiting for a block" });
      const outcome = await facilitator.settle(request, limit);
      tellSettlement(outcome);
      return outcome;
    },
    async settlement(id, limit) {
      const outcome = await facilitator.settlement(id, limit);
      tellSettlement(outcome);
      return outcome;
    },
  };
}

/** The ends of an address, which is what people compare. */
export function shorten(address: string): string {
  return `${address.slice(0, 6)}…${address.slice(-4)}`;
}
