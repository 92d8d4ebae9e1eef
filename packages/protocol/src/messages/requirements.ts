/** One entry of a challenge's `accepts[]`, in the shapes of both x402 versions. */
import {
  parseWireAddress,
  wireAddressProblem,
  zeroAddress,
  type Address,
} from "../networks/address.ts";
import {
  authorizationPrimaryType as primaryType,
  parseUint256,
} from "../signatures/authorization.ts";
import { defined, isObject, member, textMembers, type JsonObject } from "../encoding/json.ts";
import { findNetwork, findNetworkOf, usdcDecimals, type Network } from "../networks/networks.ts";
import type { PassTerms } from "./pass.ts";
import type { BalanceTerms } from "./balance.ts";
import { accept, refuse, type Outcome } from "../errors/refusals.ts";

export interface Requirements {
  readonly version: 1 | 2;
  readonly network: Network;
  /** The network as the entry named it; responses repeat this form. */
  readonly networkName: string;
  readonly asset: Address;
  /** Base units, more than 0. */
  readonly amount: bigint;
  readonly payTo: Address;
  /** Whole seconds, at least 1. */
  readonly maxTimeoutSeconds: number;
  /** The EIP-712 domain that the entry claims; compared with the network's own, never used. */
  readonly domainName?: string;
  readonly domainVersion?: string;
  /** `authorization` when absent; `upfront` means that the seller settles before working. */
  readonly paymentFlow?: string;
  /** What the payment buys beside this one response. Written only; buyers read `parsePassTerms`. */
  readonly pass?: PassTerms;
  /** How requests are charged to what the payment tops up. Written only, as `pass`. */
  readonly balance?: BalanceTerms;
  readonly resource?: string;
  readonly description?: string;
  readonly mimeType?: string;
}

interface WireEntry {
  readonly scheme: "exact";
  readonly network: string;
  readonly asset: Address;
  readonly payTo: Address;
  readonly maxTimeoutSeconds: number;
  readonly extra: TokenExtra;
}

export interface RequirementsV1 extends WireEntry {
  readonly maxAmountRequired: string;
  readonly resource: string;
  readonly description: string;
  readonly mimeType: string;
}

interface TokenExtra {
  readonly name: string;
  readonly version: string;
  /** Some buyers (`@dexterai/x402`) count amounts by it. */
  readonly decimals: typeof usdcDecimals;
  /** Some buyers (thirdweb 5.121) would otherwise look up the token's ABI before they sign. */
  readonly primaryType: typeof primaryType;
  readonly pass?: PassTerms;
  readonly balance?: { readonly reserve: string };
}

export interface RequirementsV2 extends WireEntry {
  readonly amount: string;
  readonly extra: TokenExtra & {
    readonly assetTransferMethod: "eip3009";
    readonly paymentFlow?: string;
  };
}

/**
 * Reads one entry of either shape. Its network tells the version: CAIP-2 is version 2, a plain
 * label version 1; dual challenges may write both amounts into one entry.
 */
export function parseRequirements(input: unknown): Outcome<Requirements> {
  if (!isObject(input)) return malformed("paymentRequirements must be an object");
  const scheme = member(input, "scheme");
  if (typeof scheme !== "string") return malformed("scheme must be a string");
  if (scheme !== "exact") return refuse("unsupported_scheme");
  const networkName = member(input, "network");
  if (typeof networkName !== "string") return malformed("network must be a string");
  const version = networkName.includes(":") ? 2 : 1;
  const network = findNetworkOf(version, networkName);
  if (!network) return refuse("unsupported_network", unknownNetworkMessage(version, networkName));
  const mixed = refuseMixedVersions(input, version, networkName);
  if (mixed) return mixed;
  const terms = parseTerms(input, version);
  if (!terms.ok) return terms;
  const extra = parseExtra(member(input, "extra"));
  if (!extra.ok) return extra;
  return accept({
    version,
    network,
    networkName,
    ...terms.value,
    ...extra.value,
    ...textMembers(input, "resource", "description", "mimeType"),
  });
}

/** Explains why a network's name is not valid: it is unknown, or the other version's. */
export function unknownNetworkMessage(version: 1 | 2, name: string): string {
  const network = findNetwork(name);
  if (!network) {
    return "The network is unknown; version 2 names are eip155:50 and eip155:51, version 1 names xdc and xdc-apothem.";
  }
  const right = version === 1 ? network.label : network.id;
  return `Version ${version} of x402 calls this network ${right}, not ${name}; send that name.`;
}

/** Refuses one version's amount with the other's network; entries with both amounts pass. */
function refuseMixedVersions(input: JsonObject, version: 1 | 2, name: string) {
  const hasFirst = (member(input, "maxAmountRequired") ?? undefined) !== undefined;
  const hasSecond = (member(input, "amount") ?? undefined) !== undefined;
  if (hasFirst === hasSecond || hasFirst === (version === 1)) return undefined;
  const stated = hasFirst ? 1 : 2;
  const message = unknownNetworkMessage(stated, name).slice(0, -1);
  return malformed(`an entry with ${amountKey(stated)} is of version ${stated}. ${message}`);
}

function amountKey(version: 1 | 2) {
  return version === 1 ? "maxAmountRequired" : "amount";
}

function parseTerms(input: JsonObject, version: 1 | 2) {
  const key = amountKey(version);
  const amount = parseUint256(member(input, key));
  if (amount === undefined || amount === 0n) {
    return malformed(`${key} must be base units above 0 as a string of decimal digits`);
  }
  const token = member(input, "asset");
  const asset = parseWireAddress(token);
  if (!asset) return malformed(wireAddressProblem("asset", token));
  const payee = member(input, "payTo");
  const payTo = parseWireAddress(payee);
  if (!payTo || payTo === zeroAddress) {
    return malformed(
      payTo ? "payTo must not be the zero address" : wireAddressProblem("payTo", payee),
    );
  }
  const maxTimeoutSeconds = parseSeconds(member(input, "maxTimeoutSeconds"));
  if (maxTimeoutSeconds === undefined)
    return malformed("maxTimeoutSeconds must be a number above 0");
  return accept({ asset, amount, payTo, maxTimeoutSeconds });
}

/** Stock version 2 schemas allow fractions, which are cut off, and `1e999`, which is Infinity. */
function parseSeconds(value: unknown): number | undefined {
  if (typeof value !== "number" || !(value > 0) || value > Number.MAX_SAFE_INTEGER) {
    return undefined;
  }
  return Math.max(1, Math.floor(value));
}

function parseExtra(
  extra: unknown,
): Outcome<Pick<Requirements, "domainName" | "domainVersion" | "paymentFlow">> {
  // Stock software treats null as absent (x402 core schemas).
  if (extra === undefined || extra === null) return accept({});
  if (!isObject(extra)) return malformed("extra must be an object");
  const method = member(extra, "assetTransferMethod") ?? "eip3009";
  if (method !== "eip3009") return refuse("unsupported_transfer_method");
  const name = member(extra, "name") ?? undefined;
  const version = member(extra, "version") ?? undefined;
  const flow = member(extra, "paymentFlow") ?? undefined;
  if (!isText(name) || !isText(version) || !isText(flow)) {
    return malformed("extra.name, extra.version and extra.paymentFlow must be strings");
  }
  return accept(defined({ domainName: name, domainVersion: version, paymentFlow: flow }));
}

function isText(value: unknown): value is string | undefined {
  return value === undefined || typeof value === "string";
}

function malformed(message: string) {
  return refuse("invalid_payment_requirements", `${message}.`);
}

/** Writes a version 1 entry. Empty `outputSchema` is left out: old clients refuse null. */
export function toRequirementsV1(requirements: Requirements): RequirementsV1 {
  const { network } = requirements;
  return {
    scheme: "exact",
    network: requirements.version === 1 ? requirements.networkName : network.label,
    maxAmountRequired: requirements.amount.toString(),
    resource: requirements.resource ?? "",
    description: requirements.description ?? "",
    mimeType: requirements.mimeType ?? "",
    payTo: requirements.payTo,
    maxTimeoutSeconds: requirements.maxTimeoutSeconds,
    asset: requirements.asset,
    extra: toTokenExtra(requirements),
  };
}

export function toRequirementsV2(requirements: Requirements): RequirementsV2 {
  const { network } = requirements;
  return {
    scheme: "exact",
    network: network.id,
    amount: requirements.amount.toString(),
    asset: requirements.asset,
    payTo: requirements.payTo,
    maxTimeoutSeconds: requirements.maxTimeoutSeconds,
    extra: {
      assetTransferMethod: "eip3009",
      ...toTokenExtra(requirements),
      ...defined({ paymentFlow: requirements.paymentFlow }),
    },
  };
}

function toTokenExtra({ network, domainName, domainVersion, ...sold }: Requirements): TokenExtra {
  const { pass } = sold;
  const balance = sold.balance && { reserve: sold.balance.reserve.toString() };
  return {
    name: domainName ?? network.domain.name,
    version: domainVersion ?? network.domain.version,
    decimals: usdcDecimals,
    primaryType,
    ...defined({ pass, balance }),
  };
}

export function toWireRequirements(
  requirements: Requirements,
  version: 1 | 2 = requirements.version,
): RequirementsV1 | RequirementsV2 {
  return version === 1 ? toRequirementsV1(requirements) : toRequirementsV2(requirements);
}
