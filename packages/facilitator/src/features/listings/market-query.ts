/** The query of the market's page, which anyone may have written by hand. */
import { findNetwork, isObject, parseAddress, parseUsdc, type Network } from "@farthing/protocol";
import type { SearchFilter } from "./model.ts";

/** As long as a search of /discovery. */
const wordsCharsMax = 200;

/** More characters than an amount of USDC or an address has. */
const valueCharsMax = 64;

/** Listings of a page. */
export const marketPageSize = 20;

/** The last page by number; further listings are found by a filter or a search. */
const pagesMax = 500;

export interface MarketQuery {
  readonly words: string;
  readonly network: Network | undefined;
  readonly filter: SearchFilter;
  /** From 1. */
  readonly page: number;
  /** The price as it was written. */
  readonly max: string;
  /** What could not be read; undefined when everything was. */
  readonly problem: string | undefined;
}

export function readMarketQuery(query: unknown, networks: readonly Network[]): MarketQuery {
  const given = isObject(query) ? query : {};
  const text = (name: string, charsMax = valueCharsMax) => {
    const value = given[name];
    return typeof value === "string" ? value.trim().slice(0, charsMax) : "";
  };
  const [max, payTo, named, number] = [text("max"), text("payTo"), text("network"), text("page")];
  const network = networks.find(({ chainId }) => chainId === findNetwork(named)?.chainId);
  const maxUnits = parseUsdc(max);
  const account = parseAddress(payTo);
  const page = /^[0-9]{1,3}$/.test(number) ? Number(number) : 1;
  return {
    words: text("q", wordsCharsMax),
    network,
    max,
    page: Math.min(Math.max(page, 1), pagesMax),
    filter: { chainId: network?.chainId, payTo: account, maxUnits },
    problem:
      max !== "" && maxUnits === undefined
        ? "The highest price must be an amount of USDC such as 0.01."
        : payTo !== "" && account === undefined
          ? "The seller's address is not valid."
          : named !== "" && network === undefined
            ? "This network is not served here."
            : undefined,
  };
}

/** The address of a page of the same results. */
export function marketPath({ words, network, filter, max }: MarketQuery, page: number): string {
  const query = new URLSearchParams();
  if (words !== "") query.set("q", words);
  if (network !== undefined) query.set("network", network.id);
  if (max !== "") query.set("max", max);
  if (filter.payTo !== undefined) query.set("payTo", filter.payTo);
  if (page > 1) query.set("page", `${page}`);
  return query.size === 0 ? "/market" : `/market?${query}`;
}
