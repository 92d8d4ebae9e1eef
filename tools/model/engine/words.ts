/** The words for what a story tells. */
import { membersOf, paymentNames } from "./state.ts";

export function namesOf(payments: number): string {
  const names = membersOf(payments).map((payment) => paymentNames[payment]);
  return names.length === 0 ? "nothing" : names.join(" and ");
}

/** The words for a transaction. */
export function wordsOf(transaction: string): string {
  const [kind = "", first = "", nonce = "", carries = "", price = ""] = transaction.split(".");
  const payment = paymentNames[Number(first)] ?? "";
  switch (kind) {
    case "relay":
      return `nonce ${nonce} of wallet ${Number(first) + 1} with ${namesOf(Number(carries))} at ${price} wei`;
    case "submit":
      return `${payment}, submitted by a third party`;
    case "cancel":
      return `the payer's cancellation of ${payment}`;
    case "drain":
      return `the end of the balance of ${payment}'s payer`;
    case "refill":
      return `new balance for ${payment}'s payer`;
    default:
      return `another program's use of nonce ${nonce} of wallet ${Number(first) + 1}`;
  }
}
