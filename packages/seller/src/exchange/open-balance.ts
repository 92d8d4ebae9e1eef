/** The balance that a payment tops up beside its record, and the request that comes with the payment. */
import { defined, passHeaders, type SettleResponse } from "@farthing/protocol";
import type { PaidRequest, SettledRequest } from "../events.ts";
import { remainingOf } from "../payment-records/balances/balances.ts";
import { addBalance, addReceipt } from "../responses.ts";
import { sha256OfText } from "../sha256.ts";
import { meterWork, type MeteredWork, type UsedMoney } from "./metered-work.ts";
import { laterUntaken } from "./open-responses.ts";
import {
  factsAfter,
  factsBefore,
  type ChargedRequest,
  type ExchangeDeps,
  type ExchangeResult,
  type Serve,
  type SoldBalance,
} from "./paid-request.ts";

/** A payment on a route with a balance. */
export interface TopUp {
  /** Adds the payment to the balance, and charges this request to it. */
  readonly serve: Serve;
  /** Refuses a payment while there is no room for its balance; undefined when there is. */
  refuse(): Promise<ExchangeResult | undefined>;
  /** Adds balance and token to a response whose payment has moved money. */
  show(result: ExchangeResult): Promise<ExchangeResult>;
}

export function createTopUp(deps: ExchangeDeps, charged: ChargedRequest, sold: SoldBalance): TopUp {
  const { balances, scope, reserve: amount } = sold;
  // The rest is for the request that comes with the payment.
  const shut = sold.isFinalOnly ? charged.offer.amount - amount : 0n;
  const { key } = charged.binding;
  const { url } = charged.terms.resource;
  let work: MeteredWork | undefined;

  async function serve(payment: PaidRequest): Promise<Response> {
    const { transaction = "" } = payment;
    const { id } = await balances.topUp(key, scope, { ...payment, transaction }, shut);
    // A repeat of the payment is the same request.
    const useId = await sha256OfText(`top-up/${key}`);
    const reserved = await balances.reserve(id, { useId, amount });
    if (reserved.kind !== "reserved") {
      throw new Error("The balance was spent on other requests meanwhile.");
    }
    const { isStreamed } = charged;
    const { kind: _reserved, ...held } = reserved;
    const use = { useId, ...held, url, isStreamed, isRepeatable: true };
    work = meterWork(deps, sold, use, charged.serve);
    return work.serve(payment);
  }

  return {
    serve,
    async refuse() {
      const id = await balances.idOf(scope, factsBefore(charged));
      if ((await balances.hasRoom(id)) || (await deps.records.has(charged.binding)))
        return undefined;
      const message = "The seller can keep no more of such payments. Yours was not taken.";
      return { response: laterUntaken("busy", message), outcome: { type: "full" } };
    },
    async show(result) {
      const { type } = result.outcome;
      const isRepeat = type === "repeated";
      const { receipt } = result;
      if (!receipt || !(isRepeat || type === "delivered" || type === "undelivered")) return result;
      try {
        const { binding, access } = charged;
        if (isRepeat && !(await deps.records.isProven(binding, access))) return result;
        const { id } = await balances.topUp(key, scope, factsAfter(charged, receipt), shut);
        const given = await balances.giveToken(id);
        if (!given) return result;
        const cost = isRepeat ? 0n : work?.used().cost;
        const used = { balance: given.balance, ...defined({ cost }) };
        return showBalance(result, receipt, used, given.token);
      } catch (error) {
        // The content is paid for. A repeat of the payment gives the token.
        deps.emit({ type: "broken", url, error });
        return result;
      }
    },
  };
}

function showBalance(
  result: ExchangeResult,
  paid: SettleResponse,
  { balance, cost }: UsedMoney,
  token: string,
): ExchangeResult {
  const receipt = { ...paid, extra: { ...paid.extra, balanceId: balance.id } };
  const { headers } = result.response;
  addReceipt(headers, receipt);
  addBalance(headers, balance, cost);
  headers.set(passHeaders.token, token);
  return { ...result, receipt };
}

/** Returns the payment that topped a balance up last, as the seller's code sees it. */
export function factsOfMoney({ balance, cost }: UsedMoney, reserve: bigint): SettledRequest {
  const money = { id: balance.id, reserve: `${reserve}`, remaining: `${remainingOf(balance)}` };
  return { ...balance.payment, balance: { ...money, ...defined({ cost: cost?.toString() }) } };
}
