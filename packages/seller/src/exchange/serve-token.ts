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
  const sold = pass ?? balance;
  if (!sold) return undefined;
  const serveWith = (shown: string): Promise<ExchangeResult> =>
    "passes" in sold
      ? servePass(deps, { ...asked, token: shown, pass: sold })
      : serveFromBalance(deps, { ...asked, token: shown, balance: sold });
  if (token !== null) return serveWith(token);
  if (!signIn || signed === null) return undefined;
  return serveSignIn({ signIn, signed, terms: asked.terms, scope: sold.scope, serveWith });
}
