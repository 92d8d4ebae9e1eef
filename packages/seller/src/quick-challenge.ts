/**
 * The challenge for a request that shows nothing, which is what most programs send first. All of it
 * but the address and the token is the same for each request of a route, so it is written once.
 */
import {
  declarePaymentIdentifier,
  defined,
  headerNames,
  passHeaders,
  paymentIdentifierName,
  signInHeader,
} from "@farthing/protocol";
import type { Configuration, RouteConfiguration } from "./configuration.ts";
import type { ChargeOutcome, EventListener } from "./events.ts";
import { declarationsOf } from "./extensions/hooks.ts";
import { offersOf } from "./offer.ts";
import { addPageVary } from "./paywall/offer-page.ts";
import { randomHex } from "./payment-records/rules/proof.ts";
import { isOrdinary, type PlainRequest } from "./plain-request.ts";
import { addCommonHeaders, writeChallenge } from "./responses.ts";

/** A challenge as texts: in ASCII, so that it goes out as it is. */
export interface QuickChallenge {
  readonly status: 402;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly outcome: ChargeOutcome;
}

/** Returns undefined where the request needs the whole exchange. */
export type ChallengeQuickly = (request: PlainRequest) => QuickChallenge | undefined;

/** With any of them a request is more than a question for the price. */
const shownHeaders = [
  headerNames.paymentSignature,
  headerNames.xPayment,
  passHeaders.token,
  signInHeader,
].map((name) => name.toLowerCase());

/**
 * Of an address, and of a description. A challenge repeats both in each entry unless they are longer
 * together than twice this.
 */
const charsMax = 1_000;

/** Stands for what differs between challenges while the rest is written. */
const marks = { url: "https://address-of-the-request", token: "token-of-the-challenge" } as const;

/** Returns what writes the challenges of a route; undefined where they depend on more. */
export function createQuickChallenge<R>(
  emit: EventListener,
  of: Configuration,
  route: RouteConfiguration<R>,
): ChallengeQuickly | undefined {
  const { publicUrl } = of;
  const { amount, payTo, maxTimeoutSeconds, description, mimeType } = route;
  const isFixed = typeof amount === "bigint" && typeof payTo === "string";
  const dependsOnMore =
    route.describe ??
    route.check ??
    of.receiptSigner ??
    route.pass ??
    route.balance ??
    route.channel;
  if (!isFixed || dependsOnMore !== undefined || publicUrl === undefined) return undefined;
  if ((description ?? "").length > charsMax) return undefined;
  const offers = offersOf(of.networks, { amount, payTo, maxTimeoutSeconds });
  const resource = { url: marks.url, ...defined({ description, mimeType }) };
  const extensions = {
    [paymentIdentifierName]: declarePaymentIdentifier(),
    ...declarationsOf(of.extensions),
  };
  const terms = { offers, resource, mode: of.mode, extensions };
  const written = writeChallenge(terms, marks.token);
  const response = new Response(null, { headers: written.headers });
  addPageVary(response.headers, of.paywall);
  addCommonHeaders(response.headers, of.allowOrigin);
  const fixed = Object.fromEntries(response.headers);
  const name = headerNames.paymentRequired.toLowerCase();
  const header = splitAtMarks(atob(fixed[name] ?? ""));
  const body = splitAtMarks(inAscii(written.text));
  if (!header || !body) return undefined;
  const encoded = header.map((part) => (isMark(part) ? part : btoa(inThrees(part, "start"))));
  return (request) => {
    if (!isOrdinary(request, shownHeaders, charsMax)) return undefined;
    const { target, headers } = request;
    if (of.paywall !== false && /html/i.test(String(headers["accept"] ?? ""))) return undefined;
    const url = publicUrl + target;
    if (url.length > charsMax) return undefined;
    const texts = { url: `"${url}"`, token: `"${randomHex()}"` };
    const pieces = {
      url: btoa(inThrees(texts.url, "end")),
      token: btoa(inThrees(texts.token, "end")),
    };
    emit({ url, type: "challenged" });
    return {
      status: 402,
      headers: { ...fixed, [name]: join(encoded, pieces) },
      body: join(body, texts),
      outcome: { type: "challenged" },
    };
  };
}

type Mark = keyof typeof marks;

const quotedMarks: Readonly<Record<string, Mark>> = {
  [`"${marks.url}"`]: "url",
  [`"${marks.token}"`]: "token",
};

/** A text around the places of marks: each place is the mark in quotes. */
type Parts = readonly string[];

const markPlaces = new RegExp(`(${Object.keys(quotedMarks).join("|")})`);

function isMark(part: string): boolean {
  return Object.hasOwn(quotedMarks, part);
}

/** Splits JSON into texts and marks; undefined where a mark is part of another value. */
function splitAtMarks(json: string): Parts | undefined {
  const parts = json.split(markPlaces);
  const texts = parts.filter((part) => !isMark(part));
  const isMixed = texts.some((part) => Object.values(marks).some((mark) => part.includes(mark)));
  return isMixed ? undefined : parts;
}

function join(parts: Parts, values: Readonly<Record<Mark, string>>): string {
  let joined = "";
  for (const part of parts) {
    const mark = quotedMarks[part];
    joined += mark === undefined ? part : values[mark];
  }
  return joined;
}

/**
 * Adds spaces, which JSON allows between values, until base64 ends with the text: the base64 of
 * several such texts is that of all of them together.
 */
function inThrees(text: string, where: "start" | "end"): string {
  const length = Math.ceil(text.length / 3) * 3;
  return where === "start" ? text.padStart(length) : text.padEnd(length);
}

/** The same JSON without characters that take several bytes. */
function inAscii(json: string): string {
  return json.replaceAll(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
