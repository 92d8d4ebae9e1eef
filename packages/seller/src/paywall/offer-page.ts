import { prefersHtml } from "@farthing/protocol";
import { addTokens, type ChallengeTerms } from "../responses.ts";
import type { PaywallOptions } from "./paywall-options.ts";
import { chooseLanguage } from "./language.ts";

/** Returns the challenge as a page for a browser's navigation; loads the page when needed. */
export async function offerPage(
  challenge: Response,
  terms: ChallengeTerms,
  request: Request,
  options: PaywallOptions | false,
  nowMs: number,
): Promise<Response> {
  addPageVary(challenge.headers, options);
  if (options === false || !prefersHtml(request)) return challenge;
  const { language } = options;
  const { toPage } = await import("./page.ts");
  const chosen =
    language ??
    chooseLanguage(request.headers.get("Accept-Language"), request.headers.get("Cookie"));
  return toPage(challenge, terms, options, chosen, nowMs);
}

/** Tells caches on what it depends whether a challenge is a page, and in which language. */
export function addPageVary(headers: Headers, options: PaywallOptions | false): void {
  if (options === false) return;
  addTokens(
    headers,
    "Vary",
    options.language ? ["Accept"] : ["Accept", "Accept-Language", "Cookie"],
  );
}
