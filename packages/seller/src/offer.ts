/** The offers for a request, and the one that a payment takes. */
import { withoutBody } from "./body.ts";
import {
  accept,
  defined,
  isObject,
  isSameAddress,
  member,
  parseUint256,
  refuse,
  type Address,
  type BalanceTerms,
  type JsonObject,
  type Network,
  type Outcome,
  type PassTerms,
  type Payment,
  type Requirements,
} from "@farthing/protocol";
import type { RouteConfiguration } from "./configuration.ts";

/** The terms of a route, on every network of its seller. */
export interface Terms {
  readonly payTo: Address;
  /** USDC base units. */
  readonly amount: bigint;
  readonly maxTimeoutSeconds: number;
}

export function offersOf(
  networks: readonly Network[],
  terms: Terms,
  sold: { readonly pass?: PassTerms; readonly balance?: BalanceTerms } = {},
): readonly Requirements[] {
  return networks.map((network) => ({
    version: 2,
    network,
    networkName: network.id,
    asset: network.usdc,
    amount: terms.amount,
    payTo: terms.payTo,
    maxTimeoutSeconds: terms.maxTimeoutSeconds,
    domainName: network.domain.name,
    domainVersion: network.domain.version,
    ...sold,
  }));
}

function soldBy<R>({ pass, balance }: RouteConfiguration<R>) {
  return defined({
    pass: pass && { uses: pass.uses, validForSeconds: pass.validForMs / 1000 },
    balance: balance && { reserve: balance.reserve },
  });
}

/** Returns what computes the offers for one request. It throws what the seller's own functions throw. */
export function createQuote<R>(networks: readonly Network[], route: RouteConfiguration<R>) {
  const { amount, payTo, maxTimeoutSeconds } = route;
  if (typeof amount === "bigint" && typeof payTo === "string") {
    const offers = offersOf(networks, { amount, payTo, maxTimeoutSeconds }, soldBy(route));
    return async () => offers;
  }
  return async (request: Request, original: R) => {
    const asked = withoutBody(request);
    return offersOf(networks, {
      amount: typeof amount === "bigint" ? amount : await amount(asked, original),
      payTo: typeof payTo === "string" ? payTo : await payTo(asked, original),
      maxTimeoutSeconds,
    });
  };
}

/** Returns the offer that a payment takes: a cheap route must not open an expensive one. */
export function matchOffer(
  offers: readonly Requirements[],
  payment: Payment,
  isOwnUrl: (url: string) => boolean,
): Outcome<Requirements> {
  const offer = offers.find(({ network }) => network === payment.network);
  if (!offer) {
    const offered = offers.map(({ network }) => network.id).join(", ");
    return refuse("network_mismatch", `This resource is paid on ${offered}.`);
  }
  const { value, to } = payment.authorization;
  if (value !== offer.amount) return wrongAmount("authorization.value", offer);
  if (!isSameAddress(to, offer.payTo)) return wrongPayee("authorization.to", offer);
  if (payment.accepted) {
    const checked = checkAccepted(payment.accepted, offer);
    if (!checked.ok) return checked;
  }
  const url = payment.resource && member(payment.resource, "url");
  if (url !== undefined && url !== null && !(typeof url === "string" && isOwnUrl(url))) {
    return refuse("invalid_payload", "resource.url names another resource than this one.");
  }
  return accept(offer);
}

/** Compares the entry that the buyer echoes on the keys that concern money only. */
function checkAccepted(accepted: JsonObject, offer: Requirements): Outcome<undefined> {
  const asset = member(accepted, "asset");
  if (typeof asset !== "string" || !isSameAddress(asset, offer.asset)) {
    return refuse("asset_mismatch", `accepted.asset must be ${offer.asset}, native USDC.`);
  }
  if (parseUint256(member(accepted, "amount")) !== offer.amount) {
    return wrongAmount("accepted.amount", offer);
  }
  const payTo = member(accepted, "payTo");
  if (typeof payTo !== "string" || !isSameAddress(payTo, offer.payTo)) {
    return wrongPayee("accepted.payTo", offer);
  }
  const extra = member(accepted, "extra");
  if (!isObject(extra)) return accept(undefined);
  const { name, version } = offer.network.domain;
  const hasOtherName = (member(extra, "name") ?? name) !== name;
  const hasOtherVersion = (member(extra, "version") ?? version) !== version;
  return hasOtherName || hasOtherVersion
    ? refuse("token_domain_mismatch", `The token's EIP-712 domain is ${name}, version ${version}.`)
    : accept(undefined);
}

function wrongAmount(field: string, offer: Requirements) {
  return refuse("amount_mismatch", `${field} must be exactly ${offer.amount} base units of USDC.`);
}

function wrongPayee(field: string, offer: Requirements) {
  return refuse("pay_to_mismatch", `${field} must be ${offer.payTo}.`);
}
