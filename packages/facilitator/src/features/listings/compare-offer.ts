/**
 * Compares advertised terms with an endpoint's offers, field by field. One offer must match in all
 * fields; otherwise the closest offer determines the differences.
 */
import {
  findNetwork,
  isSameAddress,
  member,
  networkOfChain,
  parseRequirements,
  parseUint256,
  parseWireAddress,
  type Address,
  type ChainId,
  type JsonObject,
} from "@farthing/protocol";
import type { ComparedField, ListingDifference, ListingTerms } from "./model.ts";
import type { FoundChallenge } from "./read-challenge.ts";

/** The network of an offer that names no known one. */
const mainnet: ChainId = 50;

/** Longer seen values are cut. */
const shownCharsMax = 120;

export type AdvertisedOffer = Pick<ListingTerms, "resource"> & {
  /** At least one; any of them matches. */
  readonly chainIds: readonly ChainId[];
  readonly payTo: Address;
  /** Null when any price matches. */
  readonly amount: bigint | null;
  /** The offer is that of a tool, which has no address of its own. */
  readonly isTool?: boolean;
};

/** Returns the differences; none when one of the offers matches. */
export function compareOffer(
  advertised: AdvertisedOffer,
  { seen, resourceUrl }: Pick<FoundChallenge, "seen" | "resourceUrl">,
): readonly ListingDifference[] {
  const compared = seen.accepts.map((entry) => compareEntry(advertised, entry, resourceUrl));
  if (compared.length === 0) return [differs("entry", "an offer in accepts", "none")];
  return compared.reduce((one, other) => (distance(other) < distance(one) ? other : one));
}

/** Puts the advertised offer first, because buyers take the first that they can pay. */
export function advertisedFirst(
  advertised: AdvertisedOffer,
  { seen, resourceUrl }: Pick<FoundChallenge, "seen" | "resourceUrl">,
): readonly JsonObject[] {
  const rankOf = (entry: JsonObject) =>
    compareEntry(advertised, entry, resourceUrl).length === 0 ? 0 : 1;
  return seen.accepts.toSorted((one, other) => rankOf(one) - rankOf(other));
}

/** More than the fields in which an offer can differ. */
const comparedMax = 10;

/** The number of differences; another network outweighs all others. */
function distance(differences: readonly ListingDifference[]): number {
  const isElsewhere = differences.some(({ field }) => field === "network");
  return differences.length + (isElsewhere ? comparedMax : 0);
}

function compareEntry(
  { resource, chainIds, payTo, amount, isTool }: AdvertisedOffer,
  entry: JsonObject,
  resourceUrl: string | undefined,
): readonly ListingDifference[] {
  const networks = chainIds.map(networkOfChain);
  const found: ListingDifference[] = [];
  const compare = (field: ComparedField, wanted: string, value: unknown, isSame: boolean) => {
    if (!isSame) found.push(differs(field, wanted, value));
  };
  const scheme = member(entry, "scheme");
  compare("scheme", "exact", scheme, scheme === "exact");
  const name = member(entry, "network");
  const network = networks.find((one) => one === findNetwork(name));
  compare("network", networks.map(({ id }) => id).join(" or "), name, network !== undefined);
  const asset = member(entry, "asset");
  const { usdc } = network ?? networkOfChain(chainIds[0] ?? mainnet);
  compare("asset", usdc, asset, isAddress(asset, usdc));
  const payee = member(entry, "payTo");
  compare("payTo", payTo, payee, isAddress(payee, payTo));
  const isSecond = typeof name === "string" && name.includes(":");
  const units = member(entry, isSecond ? "amount" : "maxAmountRequired");
  if (amount !== null) compare("amount", `${amount}`, units, parseUint256(units) === amount);
  // Version 1 names the resource in the entry, version 2 once for all; some challenges do both.
  const named = [textOf(member(entry, "resource")), resourceUrl].filter((url) => url !== undefined);
  const { host } = new URL(resource);
  const hosts = named.map((url) => URL.parse(url, resource)?.host ?? url);
  const elsewhere = isTool === true ? undefined : hosts.find((seen) => seen !== host);
  compare("resourceHost", host, elsewhere, elsewhere === undefined);
  if (found.length > 0) return found;
  const parsed = parseRequirements(entry);
  return parsed.ok ? [] : [differs("entry", "an offer that can be paid", parsed.refusal.message)];
}

function isAddress(value: unknown, address: Address): boolean {
  const parsed = parseWireAddress(value);
  return parsed !== undefined && isSameAddress(parsed, address);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function differs(field: ComparedField, advertised: string, value: unknown): ListingDifference {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing");
  const seen = text.replaceAll(/\p{C}/gu, " ").slice(0, shownCharsMax);
  return { field, advertised, seen: seen === "" ? "nothing" : seen };
}
