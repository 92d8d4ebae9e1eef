/**
 * Tokens of passes and balances that were paid for here. They are kept for the origin, so that other
 * paths and later visits use them. Decision 62 says why this storage is acceptable.
 */
import { isPassToken, passHeaders } from "@farthing/protocol";

const key = "farthing.passes";

/** More scopes of one seller than a person buys; the one used longest ago is forgotten. */
const tokensMax = 20;

/** Returns the one used last first. */
export function keptTokens(): readonly string[] {
  try {
    const list: unknown = JSON.parse(localStorage.getItem(key) ?? "[]");
    return Array.isArray(list) ? list.filter(isPassToken) : [];
  } catch {
    return [];
  }
}

/** Puts a token first. It replaces the earlier ones of its pass, which begin with the same id. */
export function keepToken(token: string): void {
  const [id = token] = token.split(".");
  write([token, ...keptTokens().filter((one) => !one.startsWith(id))]);
}

/** Keeps the token that a response gives. */
export function keepGiven(response: Response | undefined): void {
  const token = response?.headers.get(passHeaders.token);
  if (isPassToken(token)) keepToken(token);
}

export function forgetToken(token: string): void {
  write(keptTokens().filter((one) => one !== token));
}

function write(tokens: readonly string[]): void {
  try {
    localStorage.setItem(key, JSON.stringify(tokens.slice(0, tokensMax)));
  } catch {
    // The browser keeps nothing for this page: each visit is paid for.
  }
}
