/** GET /market: the public's listings for people and search engines. */
import { htmlPageHeaders, type Network } from "@farthing/protocol";
import type { Throttle } from "../../http/access/limits.ts";
import type { SiteAddress } from "../../http/site/site.ts";
import type { TypedServer } from "../../http/messages/type-provider.ts";
import { marketPage, type MarketResults } from "./market-page.ts";
import { marketPageSize, readMarketQuery, type MarketQuery } from "./market-query.ts";
import type { Listings } from "./service.ts";

interface MarketDeps extends Pick<SiteAddress, "site"> {
  readonly listings: Pick<Listings, "page" | "search" | "mostBought">;
  readonly networks: readonly Network[];
  readonly throttle: Throttle;
}

export function registerMarket(
  server: TypedServer,
  { listings, networks, site, throttle }: MarketDeps,
): void {
  const pageHeaders = htmlPageHeaders();
  server.get("/market", async (request, reply) => {
    await throttle(request, reply, null);
    const query = readMarketQuery(request.query, networks);
    const results = query.problem === undefined ? await resultsOf(listings, query) : nothing;
    return reply
      .status(query.problem === undefined ? 200 : 400)
      .headers({ ...pageHeaders, "Cache-Control": "public, max-age=60" })
      .send(marketPage(query, results, { networks, ...site() }));
  });
}

const nothing: MarketResults = { items: [], hasNext: false, count: undefined };

/** Each way reads a bounded number of rows; see public-listing-store.ts. */
async function resultsOf(
  listings: MarketDeps["listings"],
  { words, filter, page }: MarketQuery,
): Promise<MarketResults> {
  const offset = (page - 1) * marketPageSize;
  const place = { limit: marketPageSize, offset };
  if (words === "" && filter.maxUnits === undefined) {
    const { items, total } = await listings.page(filter, place);
    const count =
      total === 1 ? "1 endpoint" : `${total.toLocaleString("en")} endpoints, the newest first`;
    return { items, hasNext: offset + items.length < total, count };
  }
  const found =
    words === ""
      ? await listings.mostBought(filter, place)
      : await listings.search(words, filter, place);
  return { items: found.items, hasNext: found.next !== null, count: undefined };
}
