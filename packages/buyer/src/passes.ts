/**
 * Passes that sellers gave with their first response. A token goes to the origin that gave it and to
 * no other; where it was refused, the request is paid for like any other.
 */
import {
  decodeHeader,
  headerNames,
  isObject,
  isPassToken,
  member,
  parsePassTerms,
  passHeaders,
} from "@farthing/protocol";
import type { KeptPass, Ledger } from "./ledger/ledger.ts";

/** What a pass has left, as the seller said with the response. */
export interface PassUse {
  readonly remaining?: number;
  /** RFC 3339. */
  readonly expiresAt?: string;
}

export interface KnownPass extends KeptPass {
  readonly origin: string;
  /** Whether the pass opens a path; absent where it was not tried. */
  readonly paths: Map<string, boolean>;
}

export type Passes = ReturnType<typeof createPasses>;

/** Reads the pass that a response gives. */
export function readPass({ headers }: Pick<Response, "headers">): KeptPass | undefined {
  const token = headers.get(passHeaders.token);
  const expiresAtMs = Date.parse(headers.get(passHeaders.expires) ?? "");
  return isPassToken(token) && !Number.isNaN(expiresAtMs) ? { token, expiresAtMs } : undefined;
}

/** Reads what is left of the pass that opened a response. */
export function readPassUse({ headers }: Pick<Response, "headers">): PassUse {
  const remaining = headers.get(passHeaders.remaining) ?? "";
  const expiresAtMs = Date.parse(headers.get(passHeaders.expires) ?? "");
  return {
    ...(/^\d{1,9}$/.test(remaining) ? { remaining: Number(remaining) } : {}),
    ...(Number.isNaN(expiresAtMs) ? {} : { expiresAt: new Date(expiresAtMs).toISOString() }),
  };
}

/** Whether a challenge sells passes, by the header that its stock readers use. */
function sellsPass({ headers }: Response): boolean {
  const required = requiredIn(headers);
  const accepts = required && member(required, "accepts");
  return Array.isArray(accepts) && accepts.some((entry) => parsePassTerms(entry) !== undefined);
}

function requiredIn(headers: Headers) {
  const value = decodeHeader(headers.get(headerNames.paymentRequired))?.value;
  return isObject(value) ? value : undefined;
}

/** More than a buyer pays for at once; the oldest are forgotten. */
const passesMax = 1_000;

/** The passes of a ledger and those that came since. The newest is used first. */
export function createPasses(ledger: Pick<Ledger, "list">, now: () => number) {
  const known = new Map<string, KnownPass>();
  // Sellers refused them for good; the ledger still has them.
  const ended = new Set<string>();
  // Places where a sign-in opened nothing, until something is bought there.
  const unopened = new Set<string>();
  let hasRead = false;

  function learn(pass: KeptPass, url: string): void {
    if (known.has(pass.token) || ended.has(pass.token)) return;
    const { origin, path } = placeOf(url);
    known.set(pass.token, { ...pass, origin, paths: new Map([[path, true]]) });
    for (const oldest of known.keys()) {
      if (known.size <= passesMax) break;
      known.delete(oldest);
    }
  }
  async function read(): Promise<void> {
    hasRead = true;
    for (const { answer, signed } of await ledger.list(["settled", "ambiguous", "sent"])) {
      if (answer?.pass && signed) learn(answer.pass, signed.url);
    }
  }
  function find(url: string, opens: boolean | undefined): KnownPass | undefined {
    const { origin, path } = placeOf(url);
    return [...known.values()]
      .filter((pass) => pass.origin === origin && pass.expiresAtMs > now())
      .findLast(({ paths }) => paths.get(path) === opens);
  }
  return {
    learn,
    /** Whether a sign-in is worth a try: it was not refused since the last payment there. */
    maySignIn: (url: string): boolean => !unopened.has(nameOf(url)),
    recordSignIn(url: string, response: Response): void {
      if (response.status !== 402) return;
      if (unopened.size >= passesMax) unopened.clear();
      unopened.add(nameOf(url));
    },
    /** Records that something was bought, which a sign-in may open again. */
    recordPayment: (url: string): void => void unopened.delete(nameOf(url)),
    /** Finds a pass that is known to open an address. */
    async for(url: string): Promise<KnownPass | undefined> {
      if (!hasRead) await read();
      return find(url, true);
    },
    /** Finds one to try after a challenge that sells passes: routes may share them. */
    async after(challenge: Response, url: string): Promise<KnownPass | undefined> {
      if (!sellsPass(challenge)) return undefined;
      // Another process may have bought one.
      await read();
      return find(url, true) ?? find(url, undefined);
    },
    /** Records what a response says about the pass that it was asked with. */
    recordResponse({ token, paths }: KnownPass, url: string, { status, headers }: Response): void {
      const { path } = placeOf(url);
      const isRefused = status === 402;
      paths.set(path, !isRefused);
      const required = requiredIn(headers);
      const error = isRefused && required ? member(required, "error") : undefined;
      if (!isRefused || error === "pass_elsewhere") return;
      known.delete(token);
      ended.add(token);
    },
  };
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
