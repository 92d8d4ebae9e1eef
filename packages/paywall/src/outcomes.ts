import type { ResponseKind, Delivery } from "@farthing/buyer/steps";
import { WalletProblem, type WalletErrorCode } from "@farthing/buyer/wallet";
import { isObject, isRefusalCode, member, parseJson, refusal } from "@farthing/protocol";

export interface Explanation {
  readonly title: string;
  readonly why: string;
}

const walletTitles: Partial<Record<WalletErrorCode, string>> = {
  rejected: "Request rejected in your wallet",
  already_open: "Continue in your wallet",
  account_changed: "The account in your wallet changed",
  other_network: "Your wallet is on a different network",
};

/** Explains why there is no signature. */
export function explain(problem: unknown): Explanation {
  const code = problem instanceof WalletProblem ? problem.code : undefined;
  const title = (code && walletTitles[code]) ?? "The request could not be completed";
  if (code === "rejected") return { title, why: "You have not been charged." };
  return { title, why: problem instanceof Error ? problem.message : String(problem) };
}

/** Shown whenever the outcome is open. */
export const notKnown = "We do not know yet whether you have been charged. Do not pay again.";

const explanations: Readonly<Record<ResponseKind, Explanation>> = {
  settled: { title: "Paid", why: "" },
  pending: { title: "Not confirmed yet", why: `Your payment is in progress. ${notKnown}` },
  busy: { title: "The seller is busy", why: notKnown },
  server_error: { title: "The seller is having problems", why: notKnown },
  not_charged: {
    title: "The seller is having problems",
    why: "The seller reports that you have not been charged.",
  },
  no_answer: { title: "No response", why: `The seller did not respond. ${notKnown}` },
  refused: { title: "Payment not accepted", why: "The seller did not accept the payment." },
  failed_receipt: { title: "Payment not settled", why: "The payment was not settled." },
  conflict: { title: "Payment already used", why: "The seller has already received this payment." },
  client_error: { title: "Request refused", why: `The seller refused the request. ${notKnown}` },
  redirect: {
    title: "Redirected",
    why: `The seller redirected to a different address. ${notKnown}`,
  },
  lying_receipt: {
    title: "Receipt does not match",
    why: `The receipt belongs to a different payment. ${notKnown}`,
  },
  served_without_receipt: { title: "No receipt", why: notKnown },
};

/** The seller's own text comes last. */
export async function explainOpen({ reading, response }: Delivery): Promise<Explanation> {
  const { title, why } = explanations[reading.kind];
  const reason = (await messageOf(response)) ?? sentenceOf(reading.reason);
  return { title, why: reason === undefined ? why : `${why} ${reason}` };
}

/** Longest text of a seller that is shown. */
const messageCharsMax = 300;

export async function messageOf(response: Response | undefined): Promise<string | undefined> {
  if (!response || response.bodyUsed) return undefined;
  const parsed = parseJson(await response.text().catch(() => ""));
  const message = parsed && isObject(parsed.value) ? member(parsed.value, "message") : undefined;
  return typeof message === "string" && message !== ""
    ? message.slice(0, messageCharsMax)
    : undefined;
}

function sentenceOf(reason: string | undefined): string | undefined {
  const code = reason?.split(":")[0];
  // The page leaves out messages for the seller's programmer.
  return (isRefusalCode(code) && refusal(code).message) || reason;
}
