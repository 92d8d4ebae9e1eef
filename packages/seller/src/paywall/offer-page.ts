/** Gives people the page where programs get the challenge. */
import { addTokens, type ChallengeTerms } from "../responses.ts";
import type { PaywallOptions } from "./options.ts";
import { prefersHtml } from "./prefers-html.ts";

/**
 * The same challenge as a page, for a browser's navigation; unchanged for everybody else. The page
 * is loaded when the first browser comes: a seller of programs does without it.
 */
export async function offerPage(
  challenge: Response,
  terms: ChallengeTerms,
  request: Request,
  options: PaywallOptions | false,
  nowMs: number,
): Promise<Response> {
  if (options === false) return challenge;
  addTokens(challenge.headers, "Vary", ["Accept"]);
  if (!prefersHtml(request)) return challenge;
  const { toPage } = await import("./page.ts");
  return toPage(challenge, terms, options, nowMs);
}
