import { prefersHtml } from "@farthing/protocol";
import { addTokens, type ChallengeTerms } from "../responses.ts";
import type { PaywallOptions } from "../configuration.ts";

/** Returns the challenge as a page for a browser's navigation; loads the page when needed. */
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
