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
  parseJson,
  parsePrivateKey,
  type JsonObject,
} from "@farthing/protocol";
import { network, payloadV1, payloadV2, signPayment } from "../chain/payments.ts";
import type { SubjectEnvironment } from "../run/subject.ts";
import type { BuyerFault } from "./faults.testing.ts";

/** One US dollar in base units. */
const limitUnits = 1_000_000n;

/** Buys once: it sends the payment that it has, or signs one for the challenge. */
export async function buyOnce(env: SubjectEnvironment, fault?: BuyerFault): Promise<void> {
  const file = join(env["CONFORM_FOLDER"] ?? "", "payment");
  const url = env["CONFORM_URL"] ?? "";
  const isKept = existsSync(file) && fault !== "answer-lost-resumed";
  const signed = isKept ? readFileSync(file, "utf8") : await signFor(await fetch(url), env, fault);
  if (signed === undefined) return;
  writeFileSync(file, signed);
  const redirect = fault === "stays-at-its-host" ? "follow" : "manual";
  const send = (header: string) =>
    fetch(url, { headers: { [nameFor(header)]: header }, redirect }).catch(() => undefined);
  const answer = await send(signed);
  if (answer?.ok === true) return rmSync(file);
  // What a client that signs again takes for a reason.
  if (fault === undefined || fault !== causeOf(answer, signed)) return;
  const again = await signFor(await fetch(url), env, fault);
  if (again !== undefined) await send(again);
}

const nameFor = (payment: string): string => {
  const read = decodeHeader(payment)?.value;
  const isVersion1 = isObject(read) && read["x402Version"] === 1;
  return isVersion1 ? "x-payment" : headerNames.paymentSignature;
};

/** The name of the fault that signs again after this answer. */
function causeOf(answer: Response | undefined, signed: string): BuyerFault | undefined {
  if (!answer) return "answer-lost";
  if (answer.status === 500) return "error-after-payment";
  if (answer.status !== 402) return undefined;
  const receipt = decodeHeader(answer.headers.get(headerNames.paymentResponse))?.value;
  if (isObject(receipt)) {
    const isPending = receipt["errorReason"] === "settlement_pending";
    return isPending ? "pending-after-payment" : "refused-after-payment";
  }
  const required = decodeHeader(answer.headers.get(headerNames.paymentRequired))?.value;
  const accepts = isObject(required) ? required["accepts"] : undefined;
  const paid = decodeHeader(signed)?.value;
  const isSame =
    Array.isArray(accepts) &&
    isObject(paid) &&
    JSON.stringify(accepts[0]) === JSON.stringify(paid["accepted"]);
  return isSame ? "challenge-after-payment" : "terms-changed";
}

/** The challenge: in a header, or in the body where it is of version 1. */
async function readChallenge(response: Response): Promise<JsonObject | undefined> {
  const header = response.headers.get(headerNames.paymentRequired);
  const body = await response.text();
  const read = header === null ? parseJson(body)?.value : decodeHeader(header)?.value;
  return isObject(read) ? read : undefined;
}

async function signFor(
  response: Response,
  env: SubjectEnvironment,
  fault: BuyerFault | undefined,
): Promise<string | undefined> {
  const required = await readChallenge(response);
  const privateKey = parsePrivateKey(env["CONFORM_KEY"]);
  if (!required || !privateKey) return undefined;
  const isVersion1 = required["x402Version"] === 1;
  const [name, units] = isVersion1 ? [network.label, "maxAmountRequired"] : [network.id, "amount"];
  const accepts = required["accepts"];
  const entries: JsonObject[] = Array.isArray(accepts) ? accepts.filter(isObject) : [];
  const isKnown = (one: JsonObject) => one["scheme"] === "exact" && one["network"] === name;
  const entry = fault === "chooses-an-entry" ? entries[0] : entries.find(isKnown);
  const payTo = parseAddress(entry && member(entry, "payTo"));
  const asked = entry?.[units];
  const value = BigInt(typeof asked === "string" ? asked : "0");
  if (!entry || !payTo || (value > limitUnits && fault !== "limit-holds")) return undefined;
  const wallet = { address: addressOfKey(privateKey), privateKey };
  if (isVersion1) {
    const wrong = fault === "pays-version-1" ? 1n : 0n;
    const signed = signPayment(wallet, payTo, { value: value + wrong });
    return encodeHeader(payloadV1(signed, network.label));
  }
  const wrong = fault === "pays-the-challenge" ? 1n : 0n;
  const signed = signPayment(wallet, payTo, { value: value + wrong });
  const { extensions } = required;
  const isEchoed = extensions !== undefined && fault !== "echoes-extensions";
  return encodeHeader(payloadV2(signed, entry, isEchoed ? { extensions } : {}));
}
