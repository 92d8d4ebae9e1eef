/** What happened, in words for the person who pays. */
import type { AnswerKind, Delivery } from "@farthing/buyer/steps";
import { WalletProblem, type WalletTrouble } from "@farthing/buyer/wallet";
import { isObject, isRefusalCode, member, parseJson, refusal } from "@farthing/protocol";

/** A heading and what stands under it. */
export interface Words {
  readonly title: string;
  readonly why: string;
}

const walletTitles: Partial<Record<WalletTrouble, string>> = {
  rejected: "You said no",
  already_open: "Your wallet is waiting for you",
  account_changed: "Another account",
  other_network: "Another network",
};

/** Explains why there is no signature. */
export function explain(problem: unknown): Words {
  const why = problem instanceof Error ? problem.message : String(problem);
  const title = problem instanceof WalletProblem ? walletTitles[problem.trouble] : undefined;
  return { title: title ?? "That did not work", why };
}

const notKnown = "Whether you have paid is not yet known; do not pay again.";

const openWords: Readonly<Record<AnswerKind, Words>> = {
  settled: { title: "Paid", why: "" },
  pending: { title: "Not confirmed yet", why: `Your payment is under way. ${notKnown}` },
  busy: { title: "The seller is not ready", why: notKnown },
  server_error: { title: "The seller has a problem", why: notKnown },
  not_charged: {
    title: "The seller has a problem",
    why: "The seller says that nothing was charged.",
  },
  no_answer: { title: "No answer", why: `The seller did not answer. ${notKnown}` },
  refused: { title: "Not accepted", why: "The seller did not accept the payment." },
  failed_receipt: { title: "Not settled", why: "The payment was not settled." },
  conflict: { title: "Already used", why: "The seller has seen this payment before." },
  client_error: { title: "Refused", why: `The seller refused the request. ${notKnown}` },
  redirect: { title: "Moved", why: `The seller sent us elsewhere. ${notKnown}` },
  lying_receipt: { title: "Wrong receipt", why: `The receipt is not of this payment. ${notKnown}` },
  served_without_receipt: { title: "No receipt", why: notKnown },
};

/** Explains an outcome that is open; the seller's own words come last. */
export async function explainOpen({ reading, response }: Delivery): Promise<Words> {
  const { title, why } = openWords[reading.kind];
  const said = await messageOf(response);
  const reason = said ?? sentenceOf(reading.reason);
  return { title, why: reason === undefined ? why : `${why} ${reason}` };
}

/** Longest text of a seller that is shown beside our own. */
const messageCharsMax = 300;

/** The sentence in a seller's JSON answer; undefined when there is none. */
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
  // The page leaves out the messages that are for the seller's programmer.
  return (isRefusalCode(code) && refusal(code).message) || reason;
}
