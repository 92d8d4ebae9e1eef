/**
 * Passes: one payment opens later requests. The holder of a token uses the pass; a store knows the
 * token's hash alone. The rules for every store: tokens, ends, and who takes a use.
 */
import { hexDigits } from "@farthing/protocol";
import type { SettledRequest } from "../../events.ts";
import { sha256OfText } from "../../sha256.ts";
import type { Pass, PassStore } from "./pass-store.ts";
import { createToken, idChars, idOfToken } from "./token.ts";

/** What a payment buys. */
export interface PassSale {
  /** What the pass opens: a path, or the name that routes share. */
  readonly scope: string;
  /** The request that pays is the first use. */
  readonly uses: number;
  readonly validForMs: number;
  /** Whether the pass opens requests only once its payment is final. */
  readonly isFinalOnly: boolean;
}

export interface OpenedPass {
  readonly pass: Pass;
  /** The id and 256 random bits, shown once. It replaces the token that was given before. */
  readonly token: string;
}

/** The passes of a seller, shared by all processes that share the payment records. */
export interface Passes {
  /** Opens the pass of a payment, or gives a new token for it. Undefined for one that is void. */
  open(key: string, sale: PassSale, payment: SettledRequest): Promise<OpenedPass | undefined>;
  /** Finds the pass of a token, also one that has ended; see {@link endOf}. */
  find(token: string): Promise<Pass | undefined>;
  /** Takes one use. Undefined when none is left, and for a pass that opens nothing (yet). */
  take(pass: Pass): Promise<Pass | undefined>;
  /** Gives one use back that was taken. */
  giveBack(pass: Pass): Promise<Pass>;
  /** Records that the payment of a pass is final. */
  markFinal(id: string): Promise<boolean>;
  /** Ends the pass of a payment. Returns false when the payment has opened none. */
  voidPass(id: string): Promise<boolean>;
  /** Finds a pass that the payer can use. */
  heldBy(payer: string, networks: readonly string[], scope: string): Promise<Pass | undefined>;
  /** Gives a new token for a pass that its payer holds. Undefined for one that is void. */
  renew(pass: Pass): Promise<OpenedPass | undefined>;
  /** A random secret that all processes share, as hex; one for each day. */
  secretOf(day: number): Promise<string>;
  /** Uses a nonce, to be forgotten at a time. Returns false when it was used before. */
  useNonce(nonce: string, untilMs: number): Promise<boolean>;
  /** Whether there is no room for another pass. */
  isFull(): Promise<boolean>;
  /** Why a pass opens nothing now; undefined while it does. */
  endOf(pass: Pass): "void" | "expired" | "exhausted" | undefined;
}

const dayMs = 24 * 60 * 60 * 1000;

/**
 * Returns the public id of the pass that a payment opens, however often it is asked for. `key` is
 * that of its {@link Binding}.
 */
export async function passIdOf(key: string): Promise<string> {
  return (await sha256OfText(`pass/${key}`)).slice(0, idChars);
}

export function createPasses(store: PassStore, now: () => number): Passes {
  const endOf: Passes["endOf"] = ({ isVoid, expiresAtMs, usesLeft }) => {
    if (isVoid) return "void";
    if (expiresAtMs <= now()) return "expired";
    return usesLeft < 1 ? "exhausted" : undefined;
  };
  async function openAs(pass: Omit<Pass, "tokenHash">): Promise<OpenedPass | undefined> {
    const { token, tokenHash } = await createToken(pass.id);
    const opened = await store.open({ ...pass, tokenHash });
    return opened.isVoid ? undefined : { pass: opened, token };
  }
  return {
    endOf,
    renew: openAs,
    heldBy: (payer, networks, scope) =>
      store.heldBy({ payer: payer.toLowerCase(), networks, scope, nowMs: now() }),
    async secretOf(day) {
      const secret = hexDigits(crypto.getRandomValues(new Uint8Array(32)));
      return (await store.remember(`secret/${day}`, secret, (day + 2) * dayMs)) ?? secret;
    },
    useNonce: async (nonce, untilMs) =>
      (await store.remember(`nonce/${nonce}`, "used", untilMs)) === undefined,
    async open(key, { scope, uses, validForMs, isFinalOnly }, payment) {
      const id = await passIdOf(key);
      const terms = { scope, uses, usesLeft: uses - 1, expiresAtMs: now() + validForMs };
      const state = { isVoid: false, isFinal: !isFinalOnly };
      return openAs({ id, ...terms, ...state, payment });
    },
    async find(token) {
      const id = idOfToken(token);
      const pass = id === undefined ? undefined : await store.get(id);
      return pass && pass.tokenHash === (await sha256OfText(token)) ? pass : undefined;
    },
    async take(pass) {
      if (!pass.isFinal || endOf(pass) !== undefined) return undefined;
      const usesLeft = await store.addUses(pass.id, -1, pass.tokenHash);
      return usesLeft === undefined ? undefined : { ...pass, usesLeft };
    },
    async giveBack(pass) {
      const usesLeft = await store.addUses(pass.id, 1);
      return usesLeft === undefined ? pass : { ...pass, usesLeft };
    },
    markFinal: (id) => store.mark(id, "final"),
    voidPass: (id) => store.mark(id, "void"),
    isFull: async () => (await store.isFull?.()) ?? false,
  };
}
