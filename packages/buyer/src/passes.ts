/**
 * Tokens that sellers gave with the response to a payment or a sign-in: of passes, and of balances.
 * A token goes to the origin that gave it and to no other; where it was refused, the request is paid
 * for like any other.
 */
import {
  balanceHeaders,
  decodeHeader,
  defined,
  headerNames,
  isObject,
  isPassToken,
  member,
  parseBalanceTerms,
  parsePassTerms,
  passHeaders,
} from "@farthing/protocol";
import type { KeptBalance, KeptPass, KeptResponse, Ledger } from "./ledger/ledger.ts";

/** What a pass has left, as the seller said with the response. */
export interface PassUse {
  readonly remaining?: number;
  /** RFC 3339. */
  readonly expiresAt?: string;
}

/** What a balance has left and what a request has cost, as the seller said with the response. */
export interface BalanceUse {
  /** Base units, as decimal digits. */
  readonly remaining: string;
  /** Base units, as decimal digits; absent for a stream. */
  readonly cost?: string;
}

/** What was paid for earlier, and opened a response. */
export interface TokenUse {
  readonly pass?: PassUse;
  readonly balance?: BalanceUse;
}

type KeptToken = KeptBalance & Partial<Pick<KeptPass, "expiresAtMs">>;

export interface KnownPass extends KeptToken {
  readonly origin: string;
  /** Whether the token opens a path; absent where it was not tried. */
  readonly paths: Map<string, boolean>;
}

export type Passes = ReturnType<typeof createPasses>;

type Heard = Pick<Response, "headers">;

/** Reads the pass or balance that a response gives. */
export function readGiven({ headers }: Heard): Pick<KeptResponse, "pass" | "balance"> {
  const token = headers.get(passHeaders.token);
  if (!isPassToken(token)) return {};
  const expiresAtMs = Date.parse(headers.get(passHeaders.expires) ?? "");
  if (!Number.isNaN(expiresAtMs)) {
    return { pass: { token, expiresAtMs, ...defined({ remaining: usesIn(headers) }) } };
  }
  return unitsIn(headers, balanceHeaders.remaining) === undefined ? {} : { balance: { token } };
}

/** Reads what is left of the pass or balance that opened a response. */
export function readUse({ headers }: Heard): TokenUse {
  const left = unitsIn(headers, balanceHeaders.remaining);
  if (left !== undefined) {
    const cost = unitsIn(headers, balanceHeaders.cost);
    return { balance: { remaining: left, ...defined({ cost }) } };
  }
  const expiresAtMs = Date.parse(headers.get(passHeaders.expires) ?? "");
  const pass = {
    ...defined({ remaining: usesIn(headers) }),
    ...(Number.isNaN(expiresAtMs) ? {} : { expiresAt: new Date(expiresAtMs).toISOString() }),
  };
  return { pass };
}

function usesIn(headers: Headers): number | undefined {
  const value = headers.get(passHeaders.remaining) ?? "";
  return /^\d{1,9}$/.test(value) ? Number(value) : undefined;
}

/** Base units; 78 digits hold every amount of a chain. */
function unitsIn(headers: Headers, name: string): string | undefined {
  const value = headers.get(name) ?? "";
  return /^\d{1,78}$/.test(value) ? value : undefined;
}

/** Whether a challenge sells passes or tops up balances, by the header that its stock readers use. */
function sellsTokens({ headers }: Response): boolean {
  const required = requiredIn(headers);
  const accepts = required && member(required, "accepts");
  if (!Array.isArray(accepts)) return false;
  return accepts.some((entry) => parsePassTerms(entry) ?? parseBalanceTerms(entry));
}

function requiredIn(headers: Headers) {
  const value = decodeHeader(headers.get(headerNames.paymentRequired))?.value;
  return isObject(value) ? value : undefined;
}

/** More than a buyer pays for at once; the oldest are forgotten. */
const passesMax = 1_000;

/** Paths that a token was tried at; the oldest are forgotten, and cost one more request. */
const pathsMax = 1_000;

/** Reasons of a 402 for which a token stays good elsewhere, or later. */
const elsewhere: readonly unknown[] = ["pass_elsewhere", "balance_elsewhere"];
const exhaustedBalance = "balance_exhausted";

/** The tokens of a ledger and those that came since. The newest is used first. */
export function createPasses(
  ledger: Pick<Ledger, "list" | "keepHeard" | "listHeard">,
  now: () => number,
) {
  const known = new Map<string, KnownPass>();
  // Sellers refused them for good; the ledger still has them.
  const ended = new Set<string>();
  // Places where a sign-in opened nothing, until something is bought there.
  const unopened = new Set<string>();
  let hasRead = false;

  function learn(pass: KeptToken, url: string): void {
    if (known.has(pass.token) || ended.has(pass.token)) return;
    const { origin, path } = placeOf(url);
    known.set(pass.token, { ...pass, origin, paths: new Map([[path, true]]) });
    forgetOldest(known, passesMax);
  }
  async function read(): Promise<void> {
    hasRead = true;
    for (const { answer, signed } of await ledger.list(["settled", "ambiguous", "sent"])) {
      const kept = answer?.pass ?? answer?.balance;
      if (kept && signed) learn(kept, signed.url);
    }
    for (const heard of (await ledger.listHeard?.()) ?? []) {
      if (heard.remaining !== 0) learn(heard, heard.url);
    }
  }
  async function keep(token: KeptToken & { readonly remaining?: number }, url: string) {
    try {
      await ledger.keepHeard?.({ ...token, url: nameOf(url) });
    } catch {
      // A later run asks again, and this response was paid for.
    }
  }
  function find(
    url: string,
    opens: boolean | undefined,
    tried?: ReadonlySet<string>,
  ): KnownPass | undefined {
    const { origin, path } = placeOf(url);
    return [...known.values()]
      .filter((one) => one.origin === origin && (one.expiresAtMs ?? Infinity) > now())
      .findLast(({ token, paths }) => paths.get(path) === opens && tried?.has(token) !== true);
  }
  return {
    learn,
    /** Whether a sign-in is worth a try: it was not refused since the last payment there. */
    maySignIn: (url: string): boolean => !unopened.has(nameOf(url)),
    async recordSignIn(url: string, response: Response): Promise<void> {
      if (response.status === 402) {
        if (unopened.size >= passesMax) unopened.clear();
        unopened.add(nameOf(url));
      }
      const { pass, balance } = readGiven(response);
      const given = pass ?? balance;
      if (!given) return;
      learn(given, url);
      await keep(given, url);
    },
    /** Records that something was bought, which a sign-in may open again. */
    recordPayment: (url: string): void => void unopened.delete(nameOf(url)),
    /** Finds a pass that is known to open an address. */
    async for(url: string): Promise<KnownPass | undefined> {
      if (!hasRead) await read();
      return find(url, true);
    },
    /** Finds one to try after a challenge that sells them: routes may share them. */
    async after(
      challenge: Response,
      url: string,
      tried: ReadonlySet<string>,
    ): Promise<KnownPass | undefined> {
      if (!sellsTokens(challenge)) return undefined;
      // Another process may have bought one.
      await read();
      return find(url, true, tried) ?? find(url, undefined, tried);
    },
    /** Records what a response says about the pass that it was asked with. */
    async recordResponse(shown: KnownPass, url: string, response: Response): Promise<void> {
      const { token, expiresAtMs, paths } = shown;
      const isRefused = response.status === 402;
      const required = isRefused ? requiredIn(response.headers) : undefined;
      const error = required && member(required, "error");
      // Requests under way hold reserves, which may come back.
      if (error === exhaustedBalance) return;
      paths.set(placeOf(url).path, !isRefused);
      forgetOldest(paths, pathsMax);
      if (isRefused && elsewhere.includes(error)) return;
      if (isRefused) {
        known.delete(token);
        ended.add(token);
        forgetOldest(ended, passesMax);
      }
      const remaining = isRefused ? 0 : usesIn(response.headers);
      if (remaining !== undefined)
        await keep({ token, remaining, ...defined({ expiresAtMs }) }, url);
    },
  };
}

function forgetOldest(
  kept: Pick<Map<string, unknown>, "size" | "delete"> & { keys(): Iterable<string> },
  max: number,
): void {
  for (const oldest of kept.keys()) {
    if (kept.size <= max) break;
    kept.delete(oldest);
  }
}

function nameOf(url: string): string {
  const { origin, path } = placeOf(url);
  return `${origin}${path}`;
}

function placeOf(url: string) {
  const { protocol, host, pathname } = new URL(url);
  // Not `origin`: that is "null" for a tool of an MCP server.
  return { origin: `${protocol}//${host}`, path: pathname };
}
