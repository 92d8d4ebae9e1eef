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
  if (options === false) return challenge;
  const { language } = options;
  addTokens(challenge.headers, "Vary", language ? ["Accept"] : ["Accept", "Accept-Language"]);
  if (!prefersHtml(request)) return challenge;
  const { toPage } = await import("./page.ts");
  const chosen = language ?? chooseLanguage(request.headers.get("Accept-Language"));
  return toPage(challenge, terms, options, chosen, nowMs);
}
