/**
 * Public discovery of listed endpoints that passed their checks, in the shapes of the bazaar. An
 * unknown parameter is refused: ignored, it would look as if it had been applied.
 */
import { findNetwork, type ChainId } from "@farthing/protocol";
import type { FastifyInstance, FastifyReply } from "fastify";
import { Type, type Static } from "typebox";
import type { Listings } from "./service.ts";
import { listingTypes, type ListingFilter, type PageNumbers } from "./model.ts";
import { readAddress } from "../../http/messages/address-input.ts";
import { itemResponse, DiscoveryItem } from "./discovery-item.ts";
import type { Throttle } from "../../http/access/limits.ts";
import { exactly, AddressInput, nullable, problems } from "../../http/messages/schemas.ts";
import type { Surface } from "../../http/access/surface.ts";
import type { TypeBoxProvider } from "../../http/messages/type-provider.ts";

/** The default and the largest number of items of a page. */
const itemsDefault = 20;
const itemsMax = 100;

/** The end of the counted part of a list. Clients reach the rest with a filter or a search. */
const offsetMax = 10_000;

const Count = (description: string) =>
  Type.Optional(Type.String({ pattern: "^[0-9]{1,7}$", description }));
const Page = {
  limit: Count(`1 to ${itemsMax}; ${itemsDefault} when left out`),
  offset: Count(`Items before the page; ${offsetMax} at most`),
};
const Filter = exactly({
  type: Type.Optional(
    Type.String({ maxLength: 32, description: "`http` or `mcp`; both when left out" }),
  ),
  payTo: Type.Optional(AddressInput),
  scheme: Type.Optional(Type.String({ maxLength: 32, description: "`exact`; nothing else" })),
  network: Type.Optional(Type.String({ maxLength: 64, description: "`eip155:50`, `xdc`, …" })),
  extensions: Type.Optional(Type.String({ maxLength: 64, description: "`bazaar`" })),
});
type FilterQuery = Static<typeof Filter>;

const Counted = exactly({
  limit: Type.Integer(),
  offset: Type.Integer(),
  total: Type.Integer({ description: `Up to ${offsetMax}; more are not counted` }),
});
const ListResponse = exactly({
  x402Version: Type.Integer(),
  items: Type.Array(DiscoveryItem),
  pagination: Counted,
});
const SearchResponse = exactly({
  x402Version: Type.Integer(),
  resources: Type.Array(DiscoveryItem),
  partialResults: Type.Boolean({ description: "More fit than were put into order" }),
  pagination: exactly({ limit: Type.Integer(), cursor: nullable(Type.String()) }),
});
const MerchantResponse = exactly({
  x402Version: Type.Integer(),
  payTo: Type.String(),
  resources: Type.Array(DiscoveryItem),
  pagination: Counted,
});

/** The name of each surface's operations, their callers, and their further responses. */
function described({ name }: Surface, operationId: string, summary: string) {
  return {
    operationId: name === "hosted" ? `${operationId}Hosted` : operationId,
    tags: ["Discovery"],
    summary,
    security: [],
  };
}

export async function registerDiscovery(
  server: FastifyInstance,
  listings: Pick<Listings, "page" | "search">,
  surface: Surface,
  throttle: Throttle,
): Promise<void> {
  await server.register(async (plain) => {
    const scope = plain.withTypeProvider<TypeBoxProvider>();
    const path = `${surface.basePath}/discovery`;
    scope.addHook("onRequest", (request, reply) => throttle(request, reply, null));
    const answers = problems("service_unavailable");
    scope.get(`${path}/resources`, {
      schema: {
        ...described(surface, "listResources", "List paid endpoints"),
        querystring: exactly({ ...Filter.properties, ...Page }),
        response: { 200: ListResponse, ...answers },
      },
      handler: async ({ query }, reply) => {
        const page = readPage(query);
        const { items, total } = await pageOf(listings, query, page);
        share(reply);
        return { x402Version: 2, items: items.map(itemResponse), pagination: { ...page, total } };
      },
    });
    scope.get(`${path}/search`, {
      schema: {
        ...described(surface, "searchResources", "Search paid endpoints"),
        querystring: exactly({
          query: Type.String({ minLength: 1, maxLength: 200 }),
          ...Filter.properties,
          limit: Page.limit,
          cursor: Count("`pagination.cursor` of the page before"),
        }),
        response: { 200: SearchResponse, ...answers },
      },
      handler: async ({ query }, reply) => {
        const { limit, offset } = readPage({ limit: query.limit, offset: query.cursor });
        const filter = readFilter(query);
        const found = filter
          ? await listings.search(query.query, filter, { limit, offset })
          : { items: [], next: null, isPartial: false };
        share(reply);
        return {
          x402Version: 2,
          resources: found.items.map(itemResponse),
          partialResults: found.isPartial,
          pagination: { limit, cursor: found.next === null ? null : `${found.next}` },
        };
      },
    });
    scope.get(`${path}/merchant`, {
      schema: {
        ...described(surface, "listMerchant", "List the endpoints of a seller"),
        querystring: exactly({ payTo: AddressInput, ...Page }),
        response: { 200: MerchantResponse, ...answers },
      },
      handler: async ({ query }, reply) => {
        const page = readPage(query);
        const { items, total } = await pageOf(listings, query, page);
        share(reply);
        return {
          x402Version: 2,
          payTo: readAddress(query.payTo),
          resources: items.map(itemResponse),
          pagination: { ...page, total },
        };
      },
    });
  });
}

/** Allows pages of all origins to read the response, and caches to keep it. */
function share(reply: FastifyReply): void {
  reply.headers({ "Cache-Control": "public, max-age=60", "Access-Control-Allow-Origin": "*" });
}

/** Returns undefined when no listing can match the query. */
function readFilter(query: FilterQuery): ListingFilter | undefined {
  const { type: asked, scheme = "exact", payTo, network, extensions = "" } = query;
  const chainId: ChainId | undefined = findNetwork(network)?.chainId;
  const type = listingTypes.find((one) => one === asked);
  if (asked !== type || scheme !== "exact") return undefined;
  if (network !== undefined && chainId === undefined) return undefined;
  if (extensions !== "" && extensions !== "bazaar") return undefined;
  return {
    type,
    chainId,
    payTo: payTo === undefined ? undefined : readAddress(payTo),
    hasBazaar: extensions === "bazaar" ? true : undefined,
  };
}

function readPage(query: {
  readonly limit?: string | undefined;
  readonly offset?: string | undefined;
}): PageNumbers {
  const limit = Math.min(Math.max(Number(query.limit ?? itemsDefault), 1), itemsMax);
  return { limit, offset: Math.min(Number(query.offset ?? 0), offsetMax) };
}

async function pageOf(
  listings: Pick<Listings, "page">,
  query: FilterQuery,
  page: PageNumbers,
): ReturnType<Listings["page"]> {
  const filter = readFilter(query);
  return filter ? listings.page(filter, page) : { items: [], total: 0 };
}
