/** The bent requests. Each case says in its name what is wrong with it, and nothing else is. */
import type { Hex } from "viem";
import {
  draft,
  requestV1,
  requestV2,
  set,
  sign,
  withHighS,
  withV,
  type Draft,
  type Stage,
  type WireRequest,
} from "./requests.ts";

/** A request that is wrong in one way, or good in an unusual one. */
export interface Case {
  readonly name: string;
  readonly version: 1 | 2;
  /** Part of the run in CI. */
  readonly isQuick: boolean;
  /** Also sent to `/settle`, each time with a nonce of its own. */
  readonly isSettled: boolean;
  make(stage: Stage): Promise<WireRequest>;
}

interface Bend {
  /** Before it is signed. */
  readonly change?: (made: Draft, stage: Stage) => Draft;
  /** The signature itself. */
  readonly signature?: (signature: Hex, stage: Stage) => Hex;
  /** After it is signed: paths and values, `undefined` for a member that is missing. */
  readonly wire?: Readonly<Record<string, unknown>>;
  /** The same, where the value comes from the request. */
  readonly rewrite?: (request: WireRequest, stage: Stage) => void;
  /** What happens on the chain before it is sent. */
  readonly before?: (request: WireRequest, made: Draft, stage: Stage) => Promise<unknown>;
}

interface Flags {
  readonly quick?: true;
  readonly settled?: true;
}

/** A case of a good request with one bend. */
export function bent(version: 1 | 2, name: string, bend: Bend, flags: Flags = {}): Case {
  return {
    name: `v${version}: ${name}`,
    version,
    isQuick: flags.quick === true,
    isSettled: flags.settled === true,
    async make(stage) {
      const made = bend.change?.(draft(stage), stage) ?? draft(stage);
      const signed = await sign(made);
      const signature = bend.signature?.(signed, stage) ?? signed;
      const request = (version === 2 ? requestV2 : requestV1)(stage, made, signature);
      for (const [path, value] of Object.entries(bend.wire ?? {})) set(request, path, value);
      bend.rewrite?.(request, stage);
      await bend.before?.(request, made, stage);
      return request;
    },
  };
}

/** Changes what is signed. */
export const authorize = (changes: Partial<Draft["authorization"]>) => (made: Draft) => ({
  ...made,
  authorization: { ...made.authorization, ...changes },
});

const inDomain = (changes: Partial<Draft["domain"]>) => (made: Draft) => ({
  ...made,
  domain: { ...made.domain, ...changes },
});

/** A time relative to now. */
export const inSeconds = (seconds: number) => String(Math.floor(Date.now() / 1000) + seconds);

/** An address that holds nothing, made of one digit. */
export const otherAddress: Hex = "0x1111111111111111111111111111111111111111";

const authorizationKeys = ["from", "to", "value", "validAfter", "validBefore", "nonce"];

/** A case for each member that is missing. */
export const missing = (version: 1 | 2, paths: readonly string[]): Case[] =>
  paths.map((path) => bent(version, `${path} is missing`, { wire: { [path]: undefined } }));

/** A case for each member that is null. */
export const isNull = (version: 1 | 2, paths: readonly string[]): Case[] =>
  paths.map((path) => bent(version, `${path} is null`, { wire: { [path]: null } }));

const byPoor = (made: Draft, { poor }: Stage): Draft => ({
  ...made,
  authorization: { ...made.authorization, from: poor.address },
  signer: poor,
});

/** Paths whose absence or null is a case of both versions. */
const sharedPaths = [
  "payment.payload",
  "payload.signature",
  "payload.authorization",
  ...authorizationKeys.map((key) => `authorization.${key}`),
  "terms.scheme",
  "terms.network",
  "terms.asset",
  "terms.payTo",
  "terms.extra",
];

/** Amounts that are no plain decimal, under the name of what they are. */
const amounts: Readonly<Record<string, unknown>> = {
  "a number": 10_000,
  hexadecimal: "0x2710",
  "with decimals": "10000.0",
  "with an exponent": "1e4",
  negative: "-10000",
  "with a space": " 10000",
  "with a leading zero": "010000",
  empty: "",
  "a word": "abc",
};

/** The cases of both versions. */
export function shared(version: 1 | 2): Case[] {
  const quick = version === 2 ? ({ quick: true } as const) : {};
  const amountKey = version === 2 ? "terms.amount" : "terms.maxAmountRequired";
  return [
    bent(version, "a good payment", {}, { quick: true, settled: true }),
    ...missing(version, [...sharedPaths, amountKey]),
    ...isNull(version, ["payload.signature", "authorization.nonce", "authorization.value"]),
    ...Object.entries(amounts).map(([what, value]) =>
      bent(version, `value is ${what}`, { wire: { "authorization.value": value } }),
    ),
    bent(version, "value is below the price", { change: authorize({ value: "9999" }) }, quick),
    bent(version, "value is above the price", { change: authorize({ value: "10001" }) }, quick),
    bent(version, "another payee was signed", { change: authorize({ to: otherAddress }) }, quick),
    bent(
      version,
      "expired",
      { change: (made) => authorize({ validBefore: inSeconds(-60) })(made) },
      quick,
    ),
    bent(
      version,
      "not yet valid",
      { change: (made) => authorize({ validAfter: inSeconds(60) })(made) },
      quick,
    ),
    bent(
      version,
      "another key signed",
      { change: (made, { other }) => ({ ...made, signer: other }) },
      quick,
    ),
    bent(version, "signed for chain 50", { change: inDomain({ chainId: 50 }) }, quick),
    bent(
      version,
      "signed for a token named USD Coin",
      { change: inDomain({ name: "USD Coin" }) },
      quick,
    ),
    bent(version, "s in the upper half", { signature: withHighS }, { ...quick, settled: true }),
    bent(
      version,
      "v is 0 or 1",
      { signature: (one) => withV(one, (v) => v - 27) },
      { ...quick, settled: true },
    ),
    bent(version, "the payer holds nothing", { change: byPoor }),
    bent(
      version,
      "the nonce is used",
      { before: (request, _made, { settle }) => settle(structuredClone(request)) },
      {},
    ),
    bent(version, "the nonce is canceled", { before: cancel }, { settled: true }),
  ];
}

function cancel(_request: WireRequest, { signer, authorization }: Draft, { devnet }: Stage) {
  const { nonce } = authorization;
  return devnet.cancelAuthorization({ privateKey: signer.privateKey, nonce });
}
