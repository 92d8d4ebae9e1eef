/** Reports the calls of the gateway to its facilitator. */
import type { inProcessFacilitator } from "@farthing/gateway";
import { shortUsdc } from "@farthing/protocol";
import type { DevEvents } from "./dev-events.ts";

type Facilitator = ReturnType<typeof inProcessFacilitator>;
type Request = Parameters<Facilitator["verify"]>[0];

export function watchPayments(facilitator: Facilitator, events: DevEvents): Facilitator {
  return {
    ...facilitator,
    async verify(request, limit) {
      const outcome = await facilitator.verify(request, limit);
      const {
        payer = "someone",
        isValid,
        invalidReason,
      } = outcome.kind === "verdict"
        ? outcome.verdict
        : { isValid: false, invalidReason: outcome.message };
      const said = isValid ? "the signature is valid" : `refused, ${invalidReason ?? "no reason"}`;
      events.add("payment", `${payer} signed ${amountOf(request)} USDC: ${said}`);
      return outcome;
    },
    async settle(request, limit) {
      events.add("payment", `The transfer of ${amountOf(request)} USDC is sent`);
      const outcome = await facilitator.settle(request, limit);
      events.add("payment", settledText(outcome));
      return outcome;
    },
  };
}

function settledText(outcome: Awaited<ReturnType<Facilitator["settle"]>>): string {
  if (outcome.kind !== "settlement") return `The facilitator failed: ${outcome.message}`;
  const { success, transaction, errorReason } = outcome.settlement;
  return success
    ? `The transfer is confirmed, transaction ${transaction}`
    : `The transfer is not confirmed: ${errorReason ?? "no reason"}`;
}

function amountOf({ paymentRequirements: terms }: Request): string {
  const units = "amount" in terms ? terms.amount : terms.maxAmountRequired;
  return shortUsdc(BigInt(units));
}
