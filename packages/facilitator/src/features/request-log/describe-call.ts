/**
 * What the log keeps of a call: members with a known form only. Signatures, headers, nonces and
 * whatever else a body holds are never read.
 */
import {
  defined,
  isObject,
  member,
  parseWireAddress,
  printableLine,
  type Address,
} from "@farthing/protocol";
import type { KeyedCall } from "../../http/server/observe-calls.ts";
import type { AskedTerms, CallResult, LoggedCall } from "./model.ts";

/** Longer paths and messages are cut off. */
const pathCharsMax = 200;
const messageCharsMax = 300;

const forms = {
  network: /^[A-Za-z0-9:-]{1,64}$/,
  amount: /^[0-9]{1,78}$/,
  code: /^[a-z0-9_]{1,64}$/,
  settlementId: /^stl_[0-9a-f]{1,64}$/,
  transaction: /^0x[0-9a-fA-F]{64}$/,
} as const;

export function describeCall(call: KeyedCall, now: number): LoggedCall {
  const { key, requestId, method, target, status, durationMs } = call;
  return {
    requestId,
    account: key.account,
    keyId: key.id,
    mode: key.mode,
    createdAt: now - durationMs,
    method,
    path: pathOf(target),
    status,
    durationMs,
    asked: describeAsked(call.requestBody),
    ...describeAnswer(call.responseBody),
  };
}

/** The path of a request's target, without its query. */
function pathOf(target: string): string {
  const [path = ""] = target.split("?", 1);
  return printableLine(path.slice(0, pathCharsMax));
}

function describeAsked(body: unknown): AskedTerms {
  const terms = at(body, "paymentRequirements");
  const payment = at(body, "paymentPayload");
  const authorization = at(payment, "payload", "authorization") ?? at(body, "authorization");
  return defined({
    network:
      ofForm(forms.network, at(terms, "network")) ??
      ofForm(forms.network, at(payment, "network")) ??
      ofForm(forms.network, at(payment, "accepted", "network")),
    amount:
      ofForm(forms.amount, at(terms, "amount")) ??
      ofForm(forms.amount, at(terms, "maxAmountRequired")) ??
      ofForm(forms.amount, at(authorization, "value")),
    payer: address(at(authorization, "from")),
    payTo: address(at(terms, "payTo")) ?? address(at(authorization, "to")),
    settlementId: ofForm(forms.settlementId, at(body, "settlementId")),
  });
}

/** Reads the members of a response of the surfaces, or of an error. */
function describeAnswer(body: unknown): CallResult {
  const isValid = at(body, "isValid");
  const isPending = at(body, "errorReason") === "settlement_pending";
  const isRefused = isValid === false || (at(body, "success") === false && !isPending);
  const code = at(body, "error") ?? (isRefused ? reasonOf(body) : undefined);
  const verdict = isValid === true ? "valid" : "invalid";
  const message = at(body, "message") ?? at(body, "invalidMessage") ?? at(body, "errorMessage");
  return {
    code: ofForm(forms.code, code) ?? null,
    message: typeof message === "string" ? printableLine(message.slice(0, messageCharsMax)) : null,
    result:
      typeof isValid === "boolean" ? verdict : (ofForm(forms.code, at(body, "status")) ?? null),
    settlementId:
      ofForm(forms.settlementId, at(body, "id")) ??
      ofForm(forms.settlementId, at(body, "extra", "settlementId")) ??
      null,
    transaction: ofForm(forms.transaction, at(body, "transaction")) ?? null,
  };
}

const reasonOf = (body: unknown) => at(body, "invalidReason") ?? at(body, "errorReason");

/** A member of a member; undefined where there is none. */
function at(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const name of path) found = isObject(found) ? member(found, name) : undefined;
  return found;
}

function ofForm(form: RegExp, value: unknown): string | undefined {
  return typeof value === "string" && form.test(value) ? value : undefined;
}

function address(value: unknown): Address | undefined {
  return typeof value === "string" ? parseWireAddress(value) : undefined;
}
