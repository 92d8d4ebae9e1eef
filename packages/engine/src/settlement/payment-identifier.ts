/**
 * The extension `payment-identifier`: a buyer's identifier stands for one payment, and another payment
 * with it is refused. Knowing an identifier reveals neither a settlement nor a success.
 */
import { refusal, type PaymentRequest, type Refusal } from "@farthing/protocol";
import type { Clock } from "../base/clock.ts";
import type { ExchangeStore } from "../storage/exchange-store.ts";
import { authorizationKeyOf } from "../verification/verify.ts";

/** Refuses a payment whose identifier stands for another, claimed payment. */
export type RefuseIdentifier = (request: PaymentRequest) => Promise<Refusal | undefined>;

export function createRefuseIdentifier(deps: {
  readonly store: Pick<ExchangeStore, "findIdentifierConflicts">;
  readonly clock: Clock;
}): RefuseIdentifier {
  return async (request) => {
    const { identifier, payment } = request;
    if (identifier === undefined) return undefined;
    const { to: payTo, value: amount, validAfter, validBefore } = payment.authorization;
    const named = {
      ...authorizationKeyOf(request),
      payTo,
      amount,
      validAfter,
      validBefore,
      identifier,
    };
    const [isConflict] = await deps.store.findIdentifierConflicts([named], deps.clock.nowMs());
    return isConflict === true ? refusal("payment_identifier_conflict") : undefined;
  };
}
