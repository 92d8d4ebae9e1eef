/** Turns a 402 into a quote: every offer with its checks, and the one that would be paid. */
import { formatUsdc, zeroAddress, type Address, type Network } from "@farthing/protocol";
import {
  checkOffer,
  checkRequestUrl,
  type AgreedTerms,
  type Allow,
  type Check,
  type OfferContext,
} from "./check-offer.ts";
import {
  evaluatedOffer,
  orderOffers,
  type EvaluatedOffer,
  type PreferredVersion,
} from "./choose-offer.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { dayMs, type Limits } from "../ledger/limits.ts";
import type { RefusalCode } from "../payment-error.ts";
import type { NodesOf } from "../chain/nodes.ts";
import { checkBalanceAt } from "../chain/read-balance.ts";
import { readOpenPayments } from "./open-payments.ts";
import { readChallenge, type Offer } from "./read-challenge.ts";
import type { FetchFunction, ReplayableRequest } from "../replayable-request.ts";
import type { Signer } from "../signer.ts";
import type { Runtime } from "../runtime.ts";

/** What would be paid, bound to the exact request. */
export interface Quote {
  readonly requestId: string;
  readonly method: string;
  readonly url: string;
  /** SHA-256 of the request's body. */
  readonly bodyHash: string;
  readonly version: 1 | 2;
  readonly network: Network;
  readonly asset: Address;
  readonly payTo: Address;
  /** Base units. */
  readonly amountUnits: bigint;
  readonly amountUsdc: string;
  readonly maxTimeoutSeconds: number;
  /** The checks of the place and of the chosen offer. */
  readonly checks: readonly Check[];
}

/** A 402, evaluated. */
export interface Quotation {
  /** Checks that hold for every offer of this answer. */
  readonly place: readonly Check[];
  /** In the order in which they would be paid. */
  readonly offers: readonly EvaluatedOffer[];
  /** Why a source of offers was left aside. */
  readonly complaints: readonly string[];
  /** Where the payment would go. */
  readonly payUrl: string;
  /** Why nothing can be paid: the first failed check of the best offer. Absent with `chosen`. */
  readonly refusal?: QuotationRefusal;
  /** The offer that every check lets through. */
  readonly chosen?: { readonly offer: Offer; readonly quote: Quote };
}

/** Why a 402 is not paid. */
export interface QuotationRefusal {
  readonly code: RefusalCode;
  readonly message: string;
}

/** What quoting needs. */
export interface QuotingTools {
  readonly fetch: FetchFunction;
  readonly signer: Signer;
  readonly ledger: Ledger;
  readonly runtime: Runtime;
  readonly limits: Limits;
  readonly allow: Allow;
  readonly prefer: PreferredVersion;
  readonly hasApprover: boolean;
  readonly nodesOf: NodesOf;
}

/** What one call adds. */
export interface QuotingTerms {
  readonly requestId: string;
  readonly maxAmountUnits?: bigint;
  readonly agreed?: AgreedTerms;
}

/** Judges a 402 and consumes its body. Signs nothing, writes nothing. */
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
  for (const offer of orderOffers(offers, prefer)) {
    const checks = checkOffer(offer, await contextOf(tools, offer, new URL(payUrl).host, terms));
    let verdict = evaluatedOffer(offer, checks);
    if (verdict.isPayable && chosen === undefined) {
      verdict = await withBalance(tools, verdict);
      if (verdict.isPayable) chosen = verdict;
    }
    evaluated.push(verdict);
  }
  const base = { place, offers: evaluated, complaints, payUrl };
  const requirements = chosen?.offer.requirements;
  const isUrlAllowed = place.every(({ verdict }) => verdict !== "fail");
  if (!chosen || !requirements || !isUrlAllowed) return { ...base, refusal: refusalOf(base) };
  const quote: Quote = {
    requestId: terms.requestId,
    method: request.method,
    url: payUrl,
    bodyHash: request.bodyHash,
    version: requirements.version,
    network: requirements.network,
    asset: requirements.asset,
    payTo: requirements.payTo,
    amountUnits: requirements.amount,
    amountUsdc: formatUsdc(requirements.amount),
    maxTimeoutSeconds: requirements.maxTimeoutSeconds,
    checks: [...place, ...chosen.checks],
  };
  return { ...base, chosen: { offer: chosen.offer, quote } };
}

function refusalOf({
  place,
  offers,
  complaints,
}: Pick<Quotation, "place" | "offers" | "complaints">): QuotationRefusal {
  const checks = [...place, ...(offers[0]?.checks ?? [])];
  const failed = checks.find(({ verdict }) => verdict === "fail");
  if (failed) return { code: failed.code ?? "challenge_invalid", message: failed.message };
  const why = complaints.length > 0 ? complaints.join("; ") : "it offers nothing";
  return {
    code: "challenge_invalid",
    message: `The answer is 402, but there is nothing in it that can be paid: ${why}.`,
  };
}

async function contextOf(
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
    ...(open === undefined ? {} : { open }),
    ...(terms.maxAmountUnits === undefined ? {} : { maxAmountUnits: terms.maxAmountUnits }),
    ...(terms.agreed === undefined ? {} : { agreed: terms.agreed }),
    ...(pinned === undefined ? {} : { pinned }),
  };
}

const noWallet: Check = {
  name: "balance",
  verdict: "skip",
  message: "no wallet is named whose balance could be asked for",
};

async function withBalance(
  tools: QuotingTools,
  evaluated: EvaluatedOffer,
): Promise<EvaluatedOffer> {
  const { requirements } = evaluated.offer;
  const { fetch, signer, nodesOf } = tools;
  if (!requirements) return evaluated;
  // A price can be asked for without a wallet, and nobody's balance says nothing.
  if (signer.address === zeroAddress)
    return evaluatedOffer(evaluated.offer, [...evaluated.checks, noWallet]);
  const nodes = nodesOf(requirements.network);
  const balance = await checkBalanceAt(fetch, nodes, signer, requirements);
  return evaluatedOffer(evaluated.offer, [...evaluated.checks, balance]);
}
