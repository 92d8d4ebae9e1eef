/** A small buyer that keeps every rule of the kit, and one of them not on request. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  addressOfKey,
  decodeHeader,
  encodeHeader,
  headerNames,
  isObject,
  member,
  parseAddress,
  parsePrivateKey,
  type JsonObject,
} from "@farthing/protocol";
import { network, payloadV2, priceUnits, signPayment } from "../chain/payments.ts";
import type { SubjectEnvironment } from "../run/subject.ts";
import type { BuyerFault } from "./faults.testing.ts";

/** One US dollar in base units. */
const limitUnits = 1_000_000n;

const faultsOfSecondSignature = [
  "answer-lost",
  "challenge-after-payment",
  "pending-after-payment",
  "error-after-payment",
  "terms-changed",
];

/** Buys once: it sends the payment that it has, or signs one for the challenge. */
export async function buyOnce(env: SubjectEnvironment, fault?: BuyerFault): Promise<void> {
  const file = join(env["CONFORM_FOLDER"] ?? "", "payment");
  const url = env["CONFORM_URL"] ?? "";
  const isKept = existsSync(file) && fault !== "answer-lost-resumed";
  const payment = isKept ? readFileSync(file, "utf8") : await signFor(await fetch(url), env, fault);
  if (payment === undefined) return;
  writeFileSync(file, payment);
  const send = (header: string) =>
    fetch(url, { headers: { [headerNames.paymentSignature]: header } }).catch(() => undefined);
  const answer = await send(payment);
  if (answer?.ok === true) return rmSync(file);
  if (!faultsOfSecondSignature.some((name) => name === fault)) return;
  const again = await signFor(await fetch(url), env, fault);
  if (again !== undefined) await send(again);
}

const isKnown = (one: JsonObject): boolean =>
  one["scheme"] === "exact" && one["network"] === network.id;

async function signFor(
  response: Response,
  env: SubjectEnvironment,
  fault: BuyerFault | undefined,
): Promise<string | undefined> {
  await response.body?.cancel();
  const required = decodeHeader(response.headers.get(headerNames.paymentRequired))?.value;
  const privateKey = parsePrivateKey(env["CONFORM_KEY"]);
  if (!isObject(required) || !privateKey) return undefined;
  const accepts = required["accepts"];
  const entries: JsonObject[] = Array.isArray(accepts) ? accepts.filter(isObject) : [];
  const entry = fault === "chooses-an-entry" ? entries[0] : entries.find(isKnown);
  const payTo = parseAddress(entry && member(entry, "payTo"));
  const value = BigInt(String(entry?.["amount"]));
  if (!entry || !payTo || (value > limitUnits && fault !== "limit-holds")) return undefined;
  const wallet = { address: addressOfKey(privateKey), privateKey };
  const signed = signPayment(wallet, payTo, {
    value: fault === "pays-the-challenge" ? priceUnits + 1n : value,
  });
  const { extensions } = required;
  const isEchoed = extensions !== undefined && fault !== "echoes-extensions";
  return encodeHeader(payloadV2(signed, entry, isEchoed ? { extensions } : {}));
}
