/** HEAD requests take no payment, since the buyer would be charged and receive no content. */
import { headerNames, zeroAddress } from "@farthing/protocol";
import { uncharged, type ChallengeTerms } from "../responses.ts";
import { maxWorkMs } from "../configuration.ts";
import { cancelBody, makeWithin } from "./delivery.ts";
import { ask, undecided } from "./open-responses.ts";
import type { Serve } from "./paid-request.ts";

const where = "HEAD takes no payment here; send it with GET";

const takesNoPayment = {
  error: where,
  message: "HEAD takes no payment here, and yours was not looked at. Send it with GET.",
};

/** Responds with the headers of a 402, or of `serve` without those that lead to content. */
export async function respondToHead(terms: ChallengeTerms, isPaid: boolean, serve?: Serve) {
  if (!serve) {
    const { response, outcome } = ask(
      terms,
      isPaid ? takesNoPayment : { error: `Payment required. ${where}` },
    );
    const { status, headers } = response;
    // The buyer need not keep the payment open until it ends.
    if (isPaid) headers.set(headerNames.paymentCharged, "no");
    return { response: new Response(null, { status, headers }), outcome };
  }
  const network = terms.offers[0]?.network.id ?? "";
  // The seller's code sees a payment of nothing by no one, which is true.
  const noPayment = { payer: zeroAddress, amount: "0", network };
  const made = await makeWithin({ serve, isStreamed: true }, noPayment, 0, maxWorkMs);
  if (!made) throw new Error(`The answer to HEAD was not made within ${maxWorkMs} ms.`);
  cancelBody(made);
  return undecided(uncharged(made.response, null));
}
