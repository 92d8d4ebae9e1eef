/** Turns a 402 into a quote: every offer with its checks, and the one that would be paid. */
import {
  defined,
  formatUsdc,
  zeroAddress,
  type Address,
  type Network,
  type Requirements,
} from "@farthing/protocol";
import { checkOffer, checkRequestUrl, skip, type Check, type OfferContext } from "./check-offer.ts";
import {
  evaluatedOffer,
  orderOffers,
  type EvaluatedOffer,
  type PreferredVersion,
} from "./choose-offer.ts";
import { limitToRaise } from "./limit-to-raise.ts";
import { dayMs } from "../ledger/limits.ts";
import type { LimitToRaise } from "../payment-error.ts";
import type { ReconcilingTools } from "../chain/reconcile.ts";
import { checkBalanceAt } from "../chain/read-balance.ts";
import { readOpenPayments } from "./open-payments.ts";
import { readChallenge, type Offer } from "./read-challenge.ts";
import type { ReplayableRequest } from "../replayable-request.ts";
import type { Signer } from "../signer.ts";

/** The terms of a payment, bound to the exact request. */
export interface Quote {
  readonly requestId: string;
  readonly method: string;
  readonly url: string;
  readonly bodyHash: string;
  readonly version: 1 | 2;
  readonly network: Network;
  readonly asset: Address;
  readonly payTo: Address;
  readonly amountUnits: bigint;
  readonly amountUsdc: string;
  readonly maxTimeoutSeconds: number;
  readonly checks: readonly Check[];
}

interface QuoteRefusal extends NonNullable<Offer["refusal"]> {
  /** Present when one of the owner's limits refuses. */
  readonly raise?: LimitToRaise;
}

export interface Quotation {
  /** Checks of the URL and the host, which hold for every offer. */
  readonly place: readonly Check[];
  /** In the order in which they would be paid. */
  readonly offers: readonly EvaluatedOffer[];
  /** Why a source of offers was ignored. */
  readonly complaints: readonly string[];
  readonly payUrl: string;
  /** The first failed check of the best offer. Absent with `chosen`. */
  readonly refusal?: QuoteRefusal;
  readonly chosen?: { readonly offer: Offer; readonly quote: Quote };
}

type OwnerRules = Pick<OfferContext, "limits" | "allow" | "hasApprover">;

export interface QuotingTools extends ReconcilingTools, OwnerRules {
  readonly signer: Signer;
  readonly prefer: PreferredVersion;
}

export interface QuotingTerms extends Pick<OfferContext, "maxAmountUnits" | "agreed"> {
  readonly requestId: string;
}

/** Evaluates a 402 and consumes its body. Signs and writes nothing. */
export async function quote402(
  tools: QuotingTools,
  request: ReplayableRequest,
  response: Response,
  terms: QuotingTerms,
): Promise<Quotation> {
  const { allow, runtime, prefer } = tools;
  const place = checkRequestUrl(request.url, response, allow, request.method, runtime.now());
  const payUrl = response.url === "" ? request.url : response.url;
  const { offers, complaints } = await readChallenge(response);
  const evaluated: EvaluatedOffer[] = [];
  let chosen: EvaluatedOffer | undefined;
  let context: OfferContext | undefined;
  for (const offer of orderOffers(offers, prefer)) {
    const own = await contextOf(tools, offer, new URL(payUrl).host, terms);
    context ??= own;
    const checks = checkOffer(offer, own);
    let current = evaluatedOffer(offer, checks);
    if (current.isPayable && chosen === undefined) {
      current = await withBalance(tools, current, new URL(payUrl).host);
      if (current.isPayable) chosen = current;
    }
    evaluated.push(current);
  }
  const base = { place, offers: evaluated, complaints, payUrl };
  const requirements = chosen?.offer.requirements;
  const isUrlAllowed = place.every(({ verdict }) => verdict !== "fail");
  if (!chosen || !requirements || !isUrlAllowed)
    return { ...base, refusal: refusalOf(base, context) };
  const checks = [...place, ...chosen.checks];
  const quote = quoteOf(request, terms.requestId, payUrl, requirements, checks);
  return { ...base, chosen: { offer: chosen.offer, quote } };
}

export function quoteOf(
  request: Pick<ReplayableRequest, "method" | "bodyHash">,
  requestId: string,
  payUrl: string,
  { version, network, asset, payTo, amount, maxTimeoutSeconds }: Requirements,
  checks: readonly Check[],
): Quote {
  return {
    requestId,
    method: request.method,
    url: payUrl,
    bodyHash: request.bodyHash,
    version,
    network,
    asset,
    payTo,
    maxTimeoutSeconds,
    amountUnits: amount,
    amountUsdc: formatUsdc(amount),
    checks,
  };
}

function refusalOf(
  quotation: Pick<Quotation, "place" | "offers" | "complaints">,
  context: OfferContext | undefined,
): QuoteRefusal {
  const { place, offers, complaints } = quotation;
  const checks = [...place, ...(offers[0]?.checks ?? [])];
  const failed = checks.find(({ verdict }) => verdict === "fail");
  if (failed) {
    const { code = "challenge_invalid", message } = failed;
    const terms = offers[0]?.offer.requirements;
    const raise = terms && context && limitToRaise(failed, terms, context);
    return { code, message, ...defined({ raise }) };
  }
  const why = complaints.length > 0 ? complaints.join("; ") : "it offers nothing";
  return {
    code: "challenge_invalid",
    message: `The answer is 402, but there is nothing in it that can be paid: ${why}.`,
  };
}

export async function contextOf(
  tools: QuotingTools,
  { requirements }: Offer,
  host: string,
  terms: QuotingTerms,
): Promise<OfferContext> {
  const { signer, ledger, limits, allow, hasApprover, runtime } = tools;
  const scope = requirements && {
    wallet: signer.address,
    network: requirements.network.id,
    asset: requirements.asset,
  };
  const usage = scope && (await ledger.usage(scope, runtime.now() - dayMs));
  const inAll = usage?.openPayments ?? 0;
  const open = scope && (await readOpenPayments(ledger, scope, host, { inAll, limits }));
  const pinned = scope && (await ledger.pinnedPayee(host, scope.network));
  return {
    payer: signer.address,
    allow,
    limits,
    hasApprover,
    usage: usage ?? { spentUnits: 0n, openPayments: 0 },
    ...defined({ open, maxAmountUnits: terms.maxAmountUnits, agreed: terms.agreed, pinned }),
  };
}

async function withBalance(
  tools: QuotingTools,
  evaluated: EvaluatedOffer,
  host: string,
): Promise<EvaluatedOffer> {
  const { requirements } = evaluated.offer;
  const { nodeFetch = tools.fetch, signer, nodesOf } = tools;
  if (!requirements) return evaluated;
  // Quotes work without a wallet, and then no balance matters.
  const balance: Check =
    signer.address === zeroAddress
      ? skip("balance", "no wallet is named whose balance could be asked for")
      : await checkBalanceAt(nodeFetch, nodesOf(requirements.network, host), signer, requirements);
  return evaluatedOffer(evaluated.offer, [...evaluated.checks, balance]);
}
