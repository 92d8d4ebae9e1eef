/**
 * The extension `sign-in-with-x`: the payer of a pass or balance signs the text of a challenge and gets a token.
 * The nonce is the seller's: it authenticates the time and the address of its challenge, so that a
 * challenge needs no record, and it is used once in the store.
 */
import {
  declareSignIn,
  hasSignedText,
  hexDigits,
  isSameAddress,
  parseSignIn,
  signInKey,
  signInText,
  type Address,
  type Hex,
  type JsonObject,
  type Requirements,
  type SignIn,
  type SignInInfo,
} from "@farthing/protocol";
import type { Balances } from "../payment-records/balances/balances.ts";
import type { Clock } from "../clock.ts";
import { hmacOfText } from "../sha256.ts";
import type { Passes } from "../payment-records/passes/passes.ts";
import type { PaymentRecords } from "../payment-records/rules/payment-records.ts";
import { withinTime } from "../within-time.ts";

/** A text and a signature that no plain key of the address has made. */
export interface WalletSignature {
  readonly address: Address;
  /** CAIP-2, `eip155:50`. */
  readonly network: string;
  readonly text: string;
  readonly signature: Hex;
}

/** Asks a contract wallet (ERC-1271, ERC-6492) whether it accepts a signature, through a node. */
export type VerifyWallet = (signed: WalletSignature) => boolean | Promise<boolean>;

/** What a payer can hold. */
export interface SignInHolding {
  readonly name: "pass" | "balance";
  /** Finds what a payer holds, and returns what gives a new token for it. */
  find(
    payer: string,
    networks: readonly string[],
    scope: string,
  ): Promise<{ readonly payer: string; renew(): Promise<string | undefined> } | undefined>;
}

export interface SignInDeps {
  readonly holding: SignInHolding;
  readonly nonces: Pick<Passes, "secretOf" | "useNonce">;
  readonly verifyWallet: VerifyWallet | undefined;
  readonly now: () => number;
  /** Longest wait for `verifyWallet`, in milliseconds. */
  readonly waitMs: number;
}

/** What a sign-in is for. */
export interface SignInPlace {
  readonly url: string;
  readonly offers: readonly Requirements[];
  readonly scope: string;
}

/** Why a sign-in opens nothing. */
const refusals = {
  malformed: "The header SIGN-IN-WITH-X is not a sign-in by the text of the challenge.",
  elsewhere: "The sign-in names another domain, address or network than this resource.",
  nonce: "The nonce of the sign-in is not one of this seller's, or the sign-in has expired.",
  signature: "The signature is not that of the address.",
  wallet:
    "The address did not sign with a plain key, and this seller cannot ask contract wallets. " +
    "Show the token that it was given instead.",
  no_pass: "This address holds no pass for this resource.",
  no_balance: "This address holds no balance for this resource.",
  used: "The nonce of the sign-in was used before.",
} as const;

export type SignedIn =
  | { readonly ok: true; readonly token: string }
  | { readonly ok: false; readonly error: string; readonly message: string };

/** As stock servers: time for a person to sign. */
const signInMs = 5 * 60 * 1000;

/** Between the clocks of processes that share the passes. */
const maxSkewMs = 60 * 1000;

const dayMs = 24 * 60 * 60 * 1000;

function holdingPass(passes: Passes): SignInHolding {
  return {
    name: "pass",
    async find(...holder) {
      const pass = await passes.heldBy(...holder);
      const renew = async () => pass && (await passes.renew(pass))?.token;
      return pass && { payer: pass.payment.payer, renew };
    },
  };
}

function holdingBalance(balances: Balances): SignInHolding {
  return {
    name: "balance",
    async find(...holder) {
      const balance = await balances.heldBy(...holder);
      const renew = async () => balance && (await balances.giveToken(balance.id))?.token;
      return balance && { payer: balance.payment.payer, renew };
    },
  };
}

/** Returns how payers sign in; undefined where a route sells nothing that they could hold. */
export function signInTo(
  { passes, balances }: { readonly passes?: Passes; readonly balances?: Balances },
  { records, clock }: { readonly records: PaymentRecords; readonly clock: Clock },
  { verifyWallet, waitMs }: Pick<SignInDeps, "verifyWallet" | "waitMs">,
) {
  const { passes: nonces } = records;
  const holding = passes ? holdingPass(passes) : balances && holdingBalance(balances);
  if (!holding || !nonces) return undefined;
  return createSignIn({ holding, nonces, verifyWallet, now: () => clock.now(), waitMs });
}

export function createSignIn(deps: SignInDeps) {
  const { nonces, holding, now } = deps;
  const statement = `Sign in to use your ${holding.name}. This costs nothing and moves no money.`;
  // Of today and of yesterday, for a challenge before midnight.
  const secrets = new Map<number, string>();

  async function secretOf(issuedAtMs: number): Promise<string> {
    const day = Math.floor(issuedAtMs / dayMs);
    const secret = secrets.get(day) ?? (await nonces.secretOf(day));
    secrets.set(day, secret);
    for (const old of secrets.keys()) if (old < day - 1) secrets.delete(old);
    return secret;
  }

  async function infoOf(url: string, random: string, issuedAtMs: number): Promise<SignInInfo> {
    const uri = new URL(url);
    const tag = await authenticate(
      await secretOf(issuedAtMs),
      `${random}/${issuedAtMs}/${uri.href}`,
    );
    return {
      domain: uri.host,
      uri: uri.href,
      statement,
      nonce: `${random}${tag}`,
      issuedAt: new Date(issuedAtMs).toISOString(),
      expirationTime: new Date(issuedAtMs + signInMs).toISOString(),
    };
  }

  async function check(
    shown: SignIn,
    place: SignInPlace,
  ): Promise<keyof typeof refusals | { readonly token: string }> {
    const issuedAtMs = Date.parse(shown.issuedAt);
    const ageMs = now() - issuedAtMs;
    if (!(ageMs > -maxSkewMs && ageMs < signInMs)) return "nonce";
    const info = await infoOf(place.url, shown.nonce.slice(0, randomChars), issuedAtMs);
    const isHere = shown.domain === info.domain && shown.uri === info.uri;
    const networks: readonly string[] = place.offers.map(({ network }) => network.id);
    if (!isHere || !networks.includes(shown.chainId)) return "elsewhere";
    if (shown.nonce !== info.nonce) return "nonce";
    const text = signInText(info, shown.address, shown.chainId);
    const isPlain = hasSignedText(shown.address, text, shown.signature);
    if (!isPlain && !deps.verifyWallet) return "wallet";
    // At the same address of another network may be the wallet of somebody else.
    const where = isPlain ? networks : [shown.chainId];
    const held = await holding.find(shown.address, where, place.scope);
    if (!held || !isSameAddress(held.payer, shown.address)) return `no_${holding.name}`;
    // Before the wallet is asked, so that one challenge costs one call of the node.
    if (!(await nonces.useNonce(shown.nonce, issuedAtMs + 2 * signInMs))) return "used";
    if (!isPlain && !(await hasWalletSigned(shown, text))) return "signature";
    const token = await held.renew();
    return token === undefined ? `no_${holding.name}` : { token };
  }

  async function hasWalletSigned({ address, chainId, signature }: SignIn, text: string) {
    const signed = { address, network: chainId, text, signature };
    const late = `verifyWallet did not answer within ${deps.waitMs} ms.`;
    const verified = Promise.resolve(deps.verifyWallet?.(signed) ?? false);
    return withinTime(verified, deps.waitMs, late);
  }

  return {
    /** Returns the member of a challenge's `extensions`. */
    async declare({ url, offers }: Omit<SignInPlace, "scope">): Promise<JsonObject> {
      const random = hexDigits(crypto.getRandomValues(new Uint8Array(randomChars / 2)));
      const info = await infoOf(url, random, now());
      const chainIds = offers.map(({ network }) => network.id);
      return { [signInKey]: declareSignIn({ info, chainIds }) };
    },
    /** Exchanges a sign-in for a new token of what its address holds. */
    async open(header: string, place: SignInPlace): Promise<SignedIn> {
      const shown = parseSignIn(header);
      const checked = shown ? await check(shown, place) : "malformed";
      if (typeof checked !== "string") return { ok: true, ...checked };
      return { ok: false, error: `sign_in_${checked}`, message: refusals[checked] };
    },
  };
}

/** 128 random bits, and as many that authenticate them, as hex. */
const randomChars = 32;

async function authenticate(secret: string, text: string): Promise<string> {
  return (await hmacOfText(secret, text)).slice(0, randomChars);
}
