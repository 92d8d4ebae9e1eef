/**
 * Refunds a final payment: the payee's authorization goes back to the payer through the same steps
 * as a payment. Its nonce and amount depend on the payment's other refunds.
 */
import {
  isSameAddress,
  networkOfChain,
  requestFor,
  toLowerHex,
  type Address,
  type Authorization,
  type Hex,
} from "@farthing/protocol";
import { evaluateRefund } from "../model/refund.ts";
import type { Settlement } from "../model/settlement.ts";
import type { EngineStore } from "../storage/engine-store.ts";
import type { Settle, SettleOptions, SettleResult } from "./settle.ts";

export interface RefundRequest {
  /** The settlement of the payment. */
  readonly settlementId: string;
  readonly authorization: Authorization;
  readonly signature: Hex;
}

export interface RefundOptions extends Omit<SettleOptions, "exchange" | "refund"> {
  /** The account whose payments may be refunded: their payee. Null for any. */
  readonly payee: Address | null;
}

/** `unknown`: there is no such payment to the payee. */
export type RefundResult = SettleResult | { readonly kind: "unknown" };

/** Claims a refund, or returns the settlement that it already has. Throws as `Settle` does. */
export type Refund = (request: RefundRequest, options: RefundOptions) => Promise<RefundResult>;

export function createRefund(deps: {
  readonly store: Pick<EngineStore, "findSettlement" | "listRefunds">;
  readonly settle: Settle;
}): Refund {
  return async ({ settlementId, authorization, signature }, options) => {
    const { payee, unitsMin, ...settleOptions } = options;
    const payment = await deps.store.findSettlement(settlementId);
    if (!payment || !isPaidTo(payment, payee)) return { kind: "unknown" };
    const refunds = await deps.store.listRefunds([settlementId]);
    const isKnown = refunds.some(({ settlement: { nonce, state } }) => {
      return state !== "failed" && nonce === toLowerHex(authorization.nonce);
    });
    const { from: payer, to: payTo, value: amount, validBefore, nonce } = authorization;
    const claim = { payer, payTo, amount, validBefore, nonce, unitsMin };
    const evaluated = isKnown ? undefined : evaluateRefund(payment, refunds, claim);
    if (evaluated?.ok === false) return { kind: "refused", refusal: evaluated.refusal };
    const network = networkOfChain(payment.chainId);
    const terms = { amount, payTo: payment.payer };
    return deps.settle(requestFor(network, { authorization, signature }, terms), {
      ...settleOptions,
      // The last part of a payment may be smaller; the claim decides it.
      unitsMin: 0n,
      exchange: null,
      refund: { of: settlementId, unitsMin },
    });
  };
}

function isPaidTo({ payTo }: Settlement, payee: Address | null): boolean {
  return payee === null || isSameAddress(payTo, payee);
}
