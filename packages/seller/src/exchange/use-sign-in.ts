/** A request whose payer signs in: it is exchanged for a token, and served as if it showed that one. */
import { passHeaders } from "@farthing/protocol";
import type { createSignIn, SignedIn, SignInPlace } from "../extensions/sign-in.ts";
import type { ChallengeTerms } from "../responses.ts";
import { ask, storeFailed } from "./open-responses.ts";
import type { ExchangeResult } from "./paid-request.ts";

export interface SignInRequest extends Pick<SignInPlace, "scope"> {
  readonly signIn: ReturnType<typeof createSignIn>;
  /** The header with the sign-in. */
  readonly signed: string;
  readonly terms: ChallengeTerms;
  /** Serves what a token opens. */
  readonly serveWith: (token: string) => Promise<ExchangeResult>;
}

export async function serveSignIn({
  signIn,
  signed,
  terms,
  scope,
  serveWith,
}: SignInRequest): Promise<ExchangeResult> {
  const place = { url: terms.resource.url, offers: terms.offers, scope };
  let answer: SignedIn;
  try {
    answer = await signIn.open(signed, place);
  } catch (error) {
    return storeFailed(error);
  }
  if (!answer.ok) return ask(terms, answer);
  const { token } = answer;
  const result = await serveWith(token);
  // In whatever comes back: the token that the payer had before may have ended.
  result.response.headers.set(passHeaders.token, token);
  return result;
}
