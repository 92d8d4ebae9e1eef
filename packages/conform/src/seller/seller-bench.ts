/** What a case about a seller works with: buyers of a paid route, and the seller's facilitator. */
import type { Devnet } from "@farthing/devnet";
import {
  decodeHeader,
  encodeHeader,
  headerNames,
  isObject,
  member,
  parseAddress,
  type Authorization,
  type JsonObject,
} from "@farthing/protocol";
import { network, payloadV2, signPayment } from "../chain/payments.ts";
import { describeAnswer, request, type HttpAnswer } from "../run/http-answer.ts";
import type { Subject } from "../run/subject.ts";
import type { ScriptedFacilitator } from "./scripted-facilitator.ts";

export interface SellerBench {
  readonly devnet: Devnet;
  readonly facilitator: ScriptedFacilitator;
  readonly subject: Subject;
  /** Sends a request to the paid route; `query` is added to its path. */
  ask(options?: AskOptions): Promise<HttpAnswer>;
  /** Asks without a payment and reads the challenge. */
  challenge(): Promise<Challenge>;
  /** Signs a payment for a fresh challenge; returns the value of its header. */
  newPayment(changes?: PaymentChanges): Promise<string>;
}

export interface AskOptions {
  readonly payment?: string;
  readonly method?: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Challenge {
  readonly answer: HttpAnswer;
  /** The decoded header; undefined where there is none that can be read. */
  readonly required: JsonObject | undefined;
  /** The entry for this network. */
  readonly entry: JsonObject | undefined;
}

export interface PaymentChanges {
  readonly authorization?: Partial<Authorization>;
  readonly accepted?: JsonObject;
}

/** Sellers that work before they settle, with a facilitator that waits for a block. */
const answerMs = 45_000;

export interface SellerParts {
  readonly devnet: Devnet;
  readonly facilitator: ScriptedFacilitator;
  readonly subject: () => Subject;
  readonly method: string;
  readonly path: string;
}

export function createSellerBench(parts: SellerParts): SellerBench {
  const { devnet, facilitator } = parts;
  let payers = 0;
  const ask = ({ payment, method = parts.method, query = "", headers }: AskOptions = {}) => {
    const url = `${parts.subject().url}${parts.path}${query}`;
    const paid = payment === undefined ? {} : { [headerNames.paymentSignature]: payment };
    return request(url, { method, headers: { ...headers, ...paid } }, answerMs);
  };
  const bench: SellerBench = {
    devnet,
    facilitator,
    get subject() {
      return parts.subject();
    },
    ask,
    async challenge() {
      const answer = await ask();
      const value = decodeHeader(answer.headers.get(headerNames.paymentRequired))?.value;
      const required = isObject(value) ? value : undefined;
      return { answer, required, entry: required && entryOf(required) };
    },
    async newPayment({ authorization = {}, accepted = {} } = {}) {
      const { answer, required, entry } = await bench.challenge();
      const payTo = parseAddress(entry?.["payTo"]);
      const payer = devnet.buyers[payers++ % devnet.buyers.length];
      if (!payer) throw new Error("the chain has no payers");
      if (!required || !entry || !payTo) {
        throw new Error(
          `the unpaid request had ${answer.status ?? answer.fault} and no challenge that can be paid`,
        );
      }
      const value = BigInt(String(entry["amount"]));
      const payment = signPayment(payer, payTo, { value, ...authorization });
      const { extensions, resource } = required;
      const echoed = extensions === undefined ? { resource } : { resource, extensions };
      return encodeHeader(payloadV2(payment, { ...entry, ...accepted }, echoed));
    },
  };
  return bench;
}

function entryOf(required: JsonObject): JsonObject | undefined {
  const accepts = member(required, "accepts");
  const entries = Array.isArray(accepts) ? accepts.filter(isObject) : [];
  return entries.find((one) => one["scheme"] === "exact" && one["network"] === network.id);
}

/**
 * What each case with a payment stands on: a seller that serves unpaid shows no challenge, and there is
 * nothing to pay.
 */
export const needsChallenge: readonly string[] = ["nothing-without-a-payment"];

/** Whether the paid content came. */
export const isServed = ({ status = 0 }: HttpAnswer): boolean => status >= 200 && status < 300;

/** A line about an answer; a challenge is in a header, where people do not see it. */
export function describeSold(answer: HttpAnswer): string {
  const challenged = decodeHeader(answer.headers.get(headerNames.paymentRequired))?.value;
  if (!isObject(challenged)) return describeAnswer(answer);
  const error = member(challenged, "error");
  const named = typeof error === "string" ? error : "no error is named";
  return `${describeAnswer(answer)} and a challenge (${named})`;
}

/** Whether the seller asks for another payment. */
export const isChallenge = ({ status, headers }: HttpAnswer): boolean =>
  status === 402 && headers.has(headerNames.paymentRequired);
