/** A request that shows a token or signs in instead of paying: for a pass, or for a balance. */
import type { TokenRequest } from "./once-by-key.ts";
import type { ExchangeDeps, ExchangeResult, SoldBalance, SoldPass } from "./paid-request.ts";
import { serveFromBalance } from "./use-balance.ts";
import { servePass } from "./use-pass.ts";
import { serveSignIn, type SignInRequest } from "./use-sign-in.ts";

interface ShownToken extends Omit<TokenRequest, "token"> {
  readonly pass?: SoldPass;
  readonly balance?: SoldBalance;
  readonly signIn?: SignInRequest["signIn"];
  readonly token: string | null;
  /** The header with the sign-in. */
  readonly signed: string | null;
}

/** Serves what a token or a sign-in opens; undefined where the request shows nothing of use here. */
export async function serveToken(
  deps: ExchangeDeps,
  { pass, balance, signIn, token, signed, ...asked }: ShownToken,
): Promise<ExchangeResult | undefined> {
  if (pass && signIn && token === null && signed !== null) {
    return serveSignIn(deps, { ...asked, pass, signIn, signed });
  }
  if (token === null) return undefined;
  if (pass) return servePass(deps, { ...asked, token, pass });
  return balance && serveFromBalance(deps, { ...asked, token, balance });
}
