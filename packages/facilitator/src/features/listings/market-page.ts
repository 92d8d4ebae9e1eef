/** The market as a page. Everything in a listing was written by its seller, and is escaped. */
import {
  apothem,
  commandBlock,
  html,
  networkOfChain,
  readableUsdc,
  shellCommand,
  writePage,
  type Address,
  type Html,
  type Network,
} from "@farthing/protocol";
import { timeText } from "@farthing/engine/base";
import { siteLinks } from "../../http/site/site-links.ts";
import type { Site } from "../../http/site/site.ts";
import { buyCommand } from "./market-command.ts";
import { marketPath, type MarketQuery } from "./market-query.ts";
import { checkDaysMax, sumChecks, type Listing } from "./model.ts";

export interface MarketResults {
  readonly items: readonly Listing[];
  readonly hasNext: boolean;
  /** "120 endpoints"; undefined when they were not counted. */
  readonly count: string | undefined;
}

export function marketPage(
  query: MarketQuery,
  results: MarketResults,
  {
    networks,
    origin,
    docsUrl,
  }: { readonly networks: readonly Network[] } & Pick<Site, "origin" | "docsUrl">,
): string {
  const { page, problem } = query;
  const { items, hasNext } = results;
  const isWhole = marketPath(query, 1) === "/market" && problem === undefined;
  return writePage({
    title:
      page === 1 ? "Market: APIs paid by request" : `Market: APIs paid by request, page ${page}`,
    description:
      "APIs that agents and programs pay for with USDC on XDC, request by request, by x402. The facilitator checks each price regularly.",
    // Searches and filters show the same listings in another order.
    canonical: isWhole && items.length > 0 ? `${origin}${marketPath(query, page)}` : undefined,
    links: siteLinks(true, docsUrl),
    body: html`<section>
        <h1>APIs paid by request</h1>
        <p class="lead">
          Agents and programs pay for each request in USDC, without an account. The facilitator asks
          every endpoint for its price regularly and hides those that differ from their listing.
        </p>
      </section>
      ${searchForm(query, networks)}
      ${query.filter.payTo === undefined ? undefined : sellerLine(query.filter.payTo)}
      <p role="status" class="muted">
        ${problem ?? summaryOf(results, marketPath(query, 1) !== "/market")}
      </p>
      ${items.map(listingCard)}
      ${isWhole && page === 1 && items.length === 0 ? exampleCard(origin) : undefined}
      <nav class="pages" aria-label="Pages">
        ${page > 1 ? html`<a rel="prev" href="${marketPath(query, page - 1)}">Previous page</a>` : html`<span></span>`}
        ${hasNext ? html`<a rel="next" href="${marketPath(query, page + 1)}">Next page</a>` : undefined}
      </nav>
      <p class="muted">
        Programs read <a href="/discovery/resources">/discovery/resources</a> and
        <code>/discovery/search</code>. Sellers list endpoints on the
        <a href="/account/facilitator/listings">dashboard</a>.
      </p>`,
  });
}

function summaryOf({ items, count }: MarketResults, isFiltered: boolean): string {
  if (items.length > 0) return count ?? "The best matches first";
  if (isFiltered) return "No endpoint matches. Try fewer words or a higher price.";
  return "No endpoints are listed yet.";
}

/** Shown while nothing is listed: what a listing looks like, and how to have the first one. */
function exampleCard(origin: string): Html {
  const resource = "https://api.example.com/reports/paris";
  const find = ["npx", "farthing", "find", "weather", "--facilitator", origin];
  return html`<article class="card">
    <div class="head">
      <h2>Example: weather report of a city</h2>
      <span class="price">0.01 USDC</span>
    </div>
    <p class="address"><code>GET ${resource}</code></p>
    <p>
      This is an example. A listing has a title, an address, a price and a description of what the
      buyer gets.
    </p>
    <p>
      Do you sell an API? <a href="/account/facilitator/listings">List the first endpoint</a> on the
      dashboard. It appears here after its first check, and agents find it with:
    </p>
    ${commandBlock(shellCommand(find))}
  </article>`;
}

function searchForm(
  { words, network, max, filter }: MarketQuery,
  networks: readonly Network[],
): Html {
  const option = ({ id, name }: Network) =>
    network?.id === id
      ? html`<option value="${id}" selected>${name}</option>`
      : html`<option value="${id}">${name}</option>`;
  return html`<form class="card" action="/market" role="search">
    <label>Search<input name="q" type="search" maxlength="200" value="${words}" /></label>
    <label>
      Network<select name="network">
        <option value="">All networks</option>
        ${networks.map(option)}
      </select>
    </label>
    <label>
      Highest price in USDC<input name="max" inputmode="decimal" maxlength="20" value="${max}" />
    </label>
    ${filter.payTo === undefined ? undefined : html`<input type="hidden" name="payTo" value="${filter.payTo}" />`}
    <button>Search</button>
  </form>`;
}

function sellerLine(payTo: Address): Html {
  return html`<p class="address">
    Only endpoints that are paid to <code>${payTo}</code>. <a href="/market">Show all</a>
  </p>`;
}

function listingCard(listing: Listing): Html {
  const { title, resource, method, tags, amount, account, check, sample } = listing;
  const network = networkOfChain(listing.chainId);
  const description = listing.description || (listing.seen?.description ?? "");
  return html`<article class="card">
    <div class="head">
      <h2>${title}</h2>
      <span class="price">${readableUsdc(amount)} USDC</span>
    </div>
    <p class="address"><code>${sample.tool ? "MCP" : method} ${resource}</code></p>
    ${description === "" ? undefined : html`<p class="text">${description}</p>`}
    <ul class="row">
      ${network === apothem ? html`<li class="badge warn">Test network</li>` : undefined}
      ${tags.map(tagLink)}
    </ul>
    <dl class="facts">
      <dt>Checks</dt>
      <dd>${checksOf(listing)}</dd>
      <dt>Last check</dt>
      <dd>${momentOf(check.checkedAt)}${check.state === "failing" ? ", failed" : ""}</dd>
      <dt>Sales</dt>
      <dd>${salesOf(listing)}</dd>
      <dt>Paid to</dt>
      <dd>
        <a href="/market?payTo=${account}"><code>${account}</code></a> on ${network.name}
      </dd>
    </dl>
    ${
      sample.tool
        ? html`<p>
            An agent calls the tool <code>${sample.tool.name}</code> of this MCP server and pays for
            the call.
          </p>`
        : commandBlock(buyCommand(listing))
    }
  </article>`;
}

function tagLink(tag: string): Html {
  return html`<li>
    <a class="badge plain" href="/market?q=${encodeURIComponent(tag)}">${tag}</a>
  </li>`;
}

const countText = (count: number) => count.toLocaleString("en");

/** Rounded down, so that only an endpoint without a failure has 100%. */
function checksOf({ check }: Listing): string {
  const { passed, all } = sumChecks(check);
  if (all === 0) return "Passed";
  const share = Math.floor((passed * 1000) / all) / 10;
  const checks = all === 1 ? "1 check" : `${countText(all)} checks`;
  return `${share}% of ${checks} passed in the last ${checkDaysMax} days of checks`;
}

function salesOf({ stats: { settlements, payers } }: Listing): string {
  if (settlements === 0) return "None in 30 days";
  const buyers = payers === 1 ? "1 buyer" : `${countText(payers)} buyers`;
  return `${countText(settlements)} in 30 days, from ${buyers}`;
}

function momentOf(at: number | null): Html {
  const text = timeText(at);
  if (text === null) return html`Not yet`;
  return html`<time datetime="${text}">${text.slice(0, 16).replace("T", " ")} UTC</time>`;
}
