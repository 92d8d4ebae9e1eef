/** The checks before signing. All of them run, on what is signed or bound to it, never on prose. */
import {
  shortUsdc,
  isLoopback,
  isSameAddress,
  lookalikeName,
  type Address,
  type Requirements,
} from "@farthing/protocol";
import type { LedgerUsage } from "../ledger/ledger.ts";
import type { Limits } from "../ledger/limits.ts";
import type { RefusalCode } from "../payment-error.ts";
import { isAmountText, quoteText, type Offer } from "./read-challenge.ts";

/** `ask` needs the approver's consent; `warn` and `skip` stop nothing. */
export interface Check {
  readonly name: string;
  readonly verdict: "pass" | "fail" | "ask" | "warn" | "skip";
  readonly message: string;
  /** Present when the check failed. */
  readonly code?: RefusalCode;
}

/** Who may be paid, at which host, on which network. An absent list allows everything known. */
export interface Allow {
  /** Host names, with or without a port. Turns the pinning of payees off. */
  readonly hosts?: readonly string[];
  readonly payees?: readonly string[];
  /** CAIP-2 names or version 1 labels. */
  readonly networks?: readonly string[];
}

/** Terms that a caller has agreed to. */
export interface AgreedTerms {
  readonly amountUnits: bigint;
  readonly asset: string;
  readonly payTo: string;
}

export interface OpenAtHost {
  readonly count: number;
  /** Why another payment has to wait, if there are too many. */
  readonly message: string;
}

export interface OfferContext {
  readonly payer: Address;
  readonly allow: Allow;
  readonly limits: Limits;
  /** The limit of this call, in base units. */
  readonly maxAmountUnits?: bigint;
  readonly agreed?: AgreedTerms;
  readonly hasApprover: boolean;
  readonly usage: LedgerUsage;
  /** Absent where only the sum is known. */
  readonly open?: OpenAtHost;
  /** The payee first seen at this host; undefined when there is none or no pinning. */
  readonly pinned?: Address;
}

/** Two blocks of 2 s, a verification and a queue do not fit reliably into less. */
export const timeoutSecondsMin = 30;
/** Larger differences between the seller's clock and this one are worth a warning. */
export const clockSkewSecondsMax = 5;

/** Checks of the URL, the host and the clock. */
export function checkRequestUrl(
  asked: string,
  response: Response,
  allow: Allow,
  method: string,
  nowMs: number,
): Check[] {
  const url = new URL(response.url === "" ? asked : response.url);
  return [
    checkUrl(url),
    checkRedirect(new URL(asked), url, method),
    checkHost(url, allow),
    checkClock(response.headers.get("Date"), nowMs),
  ];
}

function checkUrl(url: URL): Check {
  if (url.protocol === "https:") return pass("url", "https");
  // Created by the paying MCP client alone, which has checked the server's address.
  if (url.protocol === "mcp:") return pass("url", "a tool, over the MCP client's connection");
  if (url.protocol === "http:" && isLoopback(url.hostname)) {
    return pass("url", "plain http to this machine");
  }
  return fail("url", "insecure_url", `A payment needs https; ${url.origin} is not.`);
}

function checkRedirect(asked: URL, answered: URL, method: string): Check {
  asked.hash = "";
  answered.hash = "";
  if (asked.href === answered.href) return pass("redirect", "answered by the address asked for");
  if (asked.origin !== answered.origin) {
    const message = `A redirect led to ${answered.origin}; ask that address itself to pay it.`;
    return fail("redirect", "cross_origin", message);
  }
  // After a redirect a POST may no longer be a POST.
  if (method === "GET" || method === "HEAD") {
    return pass("redirect", `a redirect within the site led to ${answered.href}`);
  }
  const message = `A redirect led to ${answered.href}; send the ${method} there itself to pay it.`;
  return fail("redirect", "challenge_invalid", message);
}

function checkHost(url: URL, allow: Allow): Check {
  const { hosts } = allow;
  if (hosts === undefined) return pass("host", "every host is allowed");
  return hosts.includes(url.host) || hosts.includes(url.hostname)
    ? pass("host", `${url.host} is on the list`)
    : fail("host", "host_not_allowed", `${url.host} is not among the allowed hosts.`);
}

function checkClock(date: string | null, nowMs: number): Check {
  const theirs = date === null ? Number.NaN : Date.parse(date);
  if (Number.isNaN(theirs)) return skip("clock", "the answer carries no date");
  const skew = Math.round((nowMs - theirs) / 1000);
  if (Math.abs(skew) <= clockSkewSecondsMax) return pass("clock", "agrees with the seller's");
  const direction = skew > 0 ? "ahead of" : "behind";
  const message = `This clock is ${Math.abs(skew)} s ${direction} the seller's; signatures may be refused as expired.`;
  return { name: "clock", verdict: "warn", message };
}

/** An offer that does not parse fails the first check and has no others. */
export function checkOffer(offer: Offer, context: OfferContext): Check[] {
  const { requirements, refusal } = offer;
  if (!requirements) {
    return [fail("entry", refusal?.code ?? "challenge_invalid", refusal?.message ?? "malformed")];
  }
  return [
    pass("entry", `version ${requirements.version}, exact, on ${requirements.networkName}`),
    checkNetwork(requirements, context),
    checkAsset(requirements),
    checkDomain(requirements),
    checkFlow(requirements),
    ...checkPayee(requirements, context),
    ...checkAmount(requirements, context),
    checkAgreed(requirements, context.agreed),
    checkTime(requirements),
  ];
}

function checkNetwork({ network }: Requirements, { allow }: OfferContext): Check {
  const names = [network.id, network.label, ...network.aliases];
  const isAllowed = allow.networks?.some((name) => names.includes(name)) ?? true;
  if (isAllowed) return pass("network", `${network.name} (${network.id})`);
  return fail("network", "network_not_allowed", `${network.id} is not among the allowed networks.`);
}

function checkAsset({ network, asset }: Requirements): Check {
  if (isSameAddress(asset, network.usdc)) return pass("asset", "USDC");
  const lookalike = lookalikeName(network, asset);
  const what = lookalike === undefined ? "not the USDC contract" : `${lookalike}, not USDC,`;
  const message = `${asset} is ${what} on ${network.id}; only ${network.usdc} is paid.`;
  return fail("asset", "asset_not_allowed", message);
}

function checkDomain({ network, domainName, domainVersion }: Requirements): Check {
  const { name, version } = network.domain;
  const isSame = (domainName ?? name) === name && (domainVersion ?? version) === version;
  if (isSame) return pass("domain", `signed as ${name}, version ${version}`);
  const message = `The entry says extra.name "${quoteText(domainName ?? "")}", version "${quoteText(domainVersion ?? "")}"; USDC on ${network.id} is "${name}", version "${version}". Such a signature would never recover.`;
  return fail("domain", "token_domain_mismatch", message);
}

function checkFlow({ paymentFlow }: Requirements): Check {
  if (paymentFlow === undefined || paymentFlow === "authorization") {
    return pass("flow", "authorization: the seller verifies, then settles");
  }
  if (paymentFlow === "upfront") return pass("flow", "upfront: settled before the work");
  return fail("flow", "challenge_invalid", `The flow "${quoteText(paymentFlow)}" is not known.`);
}

function checkPayee({ payTo, network }: Requirements, context: OfferContext): Check[] {
  const { payees } = context.allow;
  if (isSameAddress(payTo, context.payer)) return [refusePayee("The payee is the payer itself.")];
  if (isSameAddress(payTo, network.usdc)) return [refusePayee("The payee is the token contract.")];
  if (payees !== undefined) {
    return payees.some((payee) => isSameAddress(payee, payTo))
      ? [pass("payee", `${payTo} is on the list`)]
      : [refusePayee(`${payTo} is not among the allowed payees.`)];
  }
  return [pass("payee", payTo), checkPin(payTo, context)];
}

function refusePayee(message: string): Check {
  return fail("payee", "payee_not_allowed", message);
}

function checkPin(payTo: Address, { pinned, hasApprover, allow }: OfferContext): Check {
  if (allow.hosts !== undefined) return pass("pin", "the host is on the list");
  if (pinned === undefined) return pass("pin", "first payment to this host");
  if (isSameAddress(pinned, payTo)) return pass("pin", "the same payee as before");
  const message = `This host was paid at ${pinned} before and now asks for ${payTo}.`;
  if (hasApprover) return { name: "pin", verdict: "ask", message };
  return fail("pin", "payee_changed", `${message} A person has to confirm the change.`);
}

function checkAmount(requirements: Requirements, context: OfferContext): Check[] {
  const { amount } = requirements;
  const { limits, usage, maxAmountUnits } = context;
  if (!isAmountText(amount.toString())) {
    return [fail("amount", "amount_unparseable", "The amount is beyond any sum of USDC.")];
  }
  const price = shortUsdc(amount);
  const checks = [pass("amount", `${price} USDC`)];
  const under = (name: string, most: bigint, code: RefusalCode, what: string) =>
    checks.push(
      amount <= most
        ? pass(name, `at most ${shortUsdc(most)} USDC ${what}`)
        : fail(name, code, `The price ${price} USDC is above ${shortUsdc(most)} USDC ${what}.`),
    );
  under("per_call", limits.perCallUnits, "per_payment_cap", "per call");
  if (maxAmountUnits !== undefined) {
    under("max_amount", maxAmountUnits, "per_payment_cap", "for this call");
  }
  if (limits.perDayUnits !== undefined) {
    const left = limits.perDayUnits - usage.spentUnits;
    under("per_day", left > 0n ? left : 0n, "cumulative_cap", "left for today");
  }
  checks.push(checkOpenPayments(context));
  if (context.hasApprover && amount > limits.askAboveUnits) {
    const message = `${price} USDC is above ${shortUsdc(limits.askAboveUnits)} USDC.`;
    checks.push({ name: "approval", verdict: "ask", message });
  }
  return checks;
}

function checkOpenPayments({ usage, limits, open = nothingOpen }: OfferContext): Check {
  const { openPaymentsMax, openPaymentsPerHostMax } = limits;
  const { openPayments } = usage;
  if (openPayments < openPaymentsMax && open.count < openPaymentsPerHostMax) {
    const atHost = `${open.count} of ${openPaymentsPerHostMax} at this host`;
    return pass("open_payments", `${openPayments} of ${openPaymentsMax} open, ${atHost}`);
  }
  return fail("open_payments", "open_payments_limit", open.message);
}

const nothingOpen: OpenAtHost = { count: 0, message: "" };

function checkAgreed(requirements: Requirements, agreed: AgreedTerms | undefined): Check {
  if (agreed === undefined) return skip("agreed", "no terms were agreed before");
  const isSame =
    requirements.amount === agreed.amountUnits &&
    isSameAddress(requirements.payTo, agreed.payTo) &&
    isSameAddress(requirements.asset, agreed.asset);
  if (isSame) return pass("agreed", "amount, asset and payee are as agreed");
  return fail("agreed", "challenge_changed", "Amount, asset or payee differ from what was agreed.");
}

function checkTime({ maxTimeoutSeconds }: Requirements): Check {
  const message = `${maxTimeoutSeconds} s is too short to settle; ${timeoutSecondsMin} s is the least.`;
  return maxTimeoutSeconds >= timeoutSecondsMin
    ? pass("time", `${maxTimeoutSeconds} s to settle`)
    : fail("time", "challenge_invalid", message);
}

export function pass(name: string, message: string): Check {
  return { name, verdict: "pass", message };
}

export function skip(name: string, message: string): Check {
  return { name, verdict: "skip", message };
}

export function fail(name: string, code: RefusalCode, message: string): Check {
  return { name, verdict: "fail", message, code };
}
