/** A request whose payer signs in: it is exchanged for a token, and uses the pass with it. */
import { passHeaders } from "@farthing/protocol";
import type { createSignIn, SignedIn } from "../extensions/sign-in.ts";
import { ask, storeFailed } from "./open-responses.ts";
import type { ExchangeDeps, ExchangeResult } from "./paid-request.ts";
import { servePass, type PassRequest } from "./use-pass.ts";

export interface SignInRequest extends Omit<PassRequest, "token"> {
  readonly signIn: ReturnType<typeof createSignIn>;
  /** The header with the sign-in. */
  readonly signed: string;
}

export async function serveSignIn(
  deps: ExchangeDeps,
  { signIn, signed, ...asked }: SignInRequest,
): Promise<ExchangeResult> {
  const { terms, pass } = asked;
  const place = { url: terms.resource.url, offers: terms.offers, scope: pass.scope };
  let answer: SignedIn;
  try {
    answer = await signIn.open(signed, place);
  } catch (error) {
    return storeFailed(error);
  }
  if (!answer.ok) return ask(terms, answer);
  const { token } = answer.opened;
  const result = await servePass(deps, { ...asked, token });
  // In whatever comes back: the token that the payer had before has ended.
  result.response.headers.set(passHeaders.token, token);
  return result;
}
