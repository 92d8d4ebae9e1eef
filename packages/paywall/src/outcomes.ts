import type { Delivery } from "@farthing/buyer/steps";
import { WalletProblem } from "@farthing/buyer/wallet";
import { isObject, member, parseJson } from "@farthing/protocol";
import { fill, texts } from "./texts.ts";

export interface Explanation {
  readonly title: string;
  readonly why: string;
}

/** Explains why there is no signature. */
export function explain(problem: unknown): Explanation {
  const { wallet } = texts;
  const message = problem instanceof Error ? problem.message : String(problem);
  const { code, details = {} } = problem instanceof WalletProblem ? problem : {};
  switch (code) {
    case "rejected":
      return { title: wallet.rejectedTitle, why: wallet.rejected };
    case "already_open":
      return { title: wallet.alreadyOpenTitle, why: wallet.alreadyOpen };
    case "account_changed":
      return { title: wallet.accountChangedTitle, why: wallet.accountChanged };
    case "other_network":
      return { title: wallet.otherNetworkTitle, why: fill<string>(wallet.otherNetwork, details) };
    case "unable":
      return { title: wallet.title, why: wallet.unable };
    case "failed":
      return { title: wallet.title, why: fill<string>(wallet.failed, details) };
    default:
      return { title: wallet.title, why: message };
  }
}

/** The reason comes last: in the page's language where it is known, else in the seller's words. */
export async function explainOpen({ reading, response }: Delivery): Promise<Explanation> {
  const kind = reading.kind === "facilitator_down" ? "not_charged" : reading.kind;
  const { title, why }: Explanation = texts.outcomes[kind];
  const message = await messageOf(response);
  const known = sentenceOf(reading.reason);
  const isEnglish = document.documentElement.lang === "en";
  const reason = (isEnglish ? (message ?? known) : (known ?? message)) ?? reading.reason;
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
  const refusals: Readonly<Record<string, string>> = texts.refusals;
  const code = reason?.split(":")[0] ?? "";
  return Object.hasOwn(refusals, code) ? refusals[code] : undefined;
}
