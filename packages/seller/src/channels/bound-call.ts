/**
 * A call that can prove later that it was the same buyer's: a repeat of its request, with the same
 * message, gets the kept response. Others, and those who know the voucher alone, never do.
 */
import {
  canonicalJson,
  defined,
  readRequestBinding,
  toWireBuyerPayload,
  type ChannelPayment,
  type SettleResponse,
} from "@farthing/protocol";
import type { Configuration, RouteConfiguration } from "../configuration.ts";
import { audienceOf, fingerprintOf, hashOf, maxTimeMs } from "../exchange/binding.ts";
import { replay, responseFor, toStored, type Made } from "../exchange/delivery.ts";
import { readBody, type BodyReader } from "../exchange/match-payment.ts";
import type { ExchangeDeps, ExchangeResult } from "../exchange/paid-request.ts";
import { callKeyPrefix, type KeptCall } from "../payment-records/channels/kept-call.ts";
import type { Access, Binding } from "../payment-records/rules/payment-records.ts";
import { sha256, sha256OfText } from "../sha256.ts";

export interface BoundCall {
  readonly binding: Binding;
  readonly access: Access;
  /** Hash of the caller's credentials; a response that was made for others is withheld. */
  readonly audience?: string;
}

interface CallRequest {
  readonly request: Request;
  readonly payment: ChannelPayment;
  readonly url: string;
  readonly options: BodyReader;
  readonly rules: Pick<RouteConfiguration, "redeliver"> & Pick<Configuration, "bodyBytesMax">;
}

type Records = Pick<ExchangeDeps, "records">;

/** Returns undefined for a call that shows nothing it could show again, and where nothing is repeated. */
export async function bindCall(
  { records }: Records,
  { request, payment, url, options, rules }: CallRequest,
): Promise<BoundCall | undefined> {
  const { headers, method } = request;
  const { payload, network, extensions } = payment;
  const shown = readRequestBinding(extensions).token;
  const credentials = [headers.get("Authorization"), headers.get("Cookie")] as const;
  const isBare = shown === undefined && credentials.every((one) => !one);
  if (isBare || payload.type === "refund" || rules.redeliver === "never") return undefined;
  const body = await readBody({ ...options, ...rules, request });
  if (!body) return undefined;
  const [token, authorization, cookie] = await Promise.all([shown, ...credentials].map(hashOf));
  const payer = payload.config.payer.toLowerCase();
  const isTokenShared = token !== undefined && (await records.isTokenShared(token, payer));
  const { boundTo } = options;
  const bound = { method, url, body, ...defined({ boundTo }) };
  const { channelId, maxClaimableAmount } = payload.voucher;
  const key = `${callKeyPrefix}${network.id}/${channelId}/${maxClaimableAmount}`;
  const proof = defined({
    token,
    authorization,
    cookie,
    isTokenShared: isTokenShared || undefined,
  });
  return {
    binding: {
      key,
      fingerprint: await fingerprintOf(bound, await sha256(body), []),
      payload: await sha256OfText(canonicalJson(toWireBuyerPayload(payload))),
      // A voucher has no end.
      validBeforeMs: maxTimeMs,
    },
    access: { proof, rule: "proven" },
    // `boundTo` binds the call to the credentials already.
    ...defined({ audience: boundTo === undefined ? await audienceOf(request) : undefined }),
  };
}

/** The kept response, where this call repeats one that was charged. */
export async function repeatCall(
  { records }: Records,
  { binding, access, ...caller }: BoundCall,
): Promise<ExchangeResult | undefined> {
  const call = await records.recall(binding, access);
  const kept = call && responseFor(caller, call.response);
  if (!call || !kept) return undefined;
  const { receipt } = call;
  const response = replay(kept, receipt);
  return { response, outcome: { type: "repeated", receipt, isKept: true }, receipt };
}

/** What is kept with the charge of a call; undefined for a stream. */
export function keepCall(
  { records }: Records,
  { binding, access, ...caller }: BoundCall,
  made: Made,
  receipt: SettleResponse,
): KeptCall | undefined {
  const response = toStored(made, caller);
  return response && records.toKeep(binding, access, { receipt, response });
}
