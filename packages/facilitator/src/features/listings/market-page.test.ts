/** The page of a market in which nothing is listed. */
import { apothem } from "@farthing/protocol";
import { expect, test } from "vitest";
import { marketPage } from "./market-page.ts";
import { readMarketQuery } from "./market-query.ts";

const site = { networks: [apothem], origin: "https://pay.example", docsUrl: undefined };

function emptyMarket(query: object): string {
  const results = { items: [], hasNext: false, count: undefined };
  return marketPage(readMarketQuery(query, site.networks), results, site);
}

test("an empty market shows an example and how to have the first listing", () => {
  const page = emptyMarket({});
  expect(page).toContain("Example: weather report of a city");
  expect(page).toContain('href="/account/facilitator/listings"');
  expect(page).toContain("farthing find weather --facilitator https://pay.example");
  // Search engines do not keep it.
  expect(page).toContain('name="robots" content="noindex"');
});

test("a search without results and a page behind the last have no example", () => {
  for (const query of [{ q: "rain" }, { max: "much" }, { page: "2" }]) {
    expect(emptyMarket(query)).not.toContain("Example");
  }
});
