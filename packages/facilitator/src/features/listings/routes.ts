/** The listings of an account and the results of their checks. */
import { networkOfAddress, networkOfChain } from "@farthing/protocol";
import { Type } from "typebox";
import { listingsMax, type Listings } from "./service.ts";
import type { Listing } from "./model.ts";
import { found, HttpProblem } from "../../http/messages/responses.ts";
import type { FastifyRequest } from "fastify";
import type { ResponseHead } from "../../http/access/caller.ts";
import type { MakeLimit } from "../../http/access/limits.ts";
import {
  emptyResponse,
  exactly,
  changeProblems,
  readProblems,
} from "../../http/messages/schemas.ts";
import type { TypedServer } from "../../http/messages/type-provider.ts";
import { sessionOf } from "../../http/access/session.ts";
import {
  listingResponse,
  ListingResponse,
  ListingBody,
  readListing,
  type ListingScope,
} from "./schemas.ts";

const path = "/v1/account/listings";
const ListingId = exactly({ id: Type.String({ pattern: "^lst_[0-9a-f]{24}$" }) });
const NoBody = exactly({});

/** Checks that one account may trigger in ten minutes: each sends requests to a third party. */
const ownChecks = { name: "listing-checks", requestsMax: 30, windowSeconds: 600 };

/** Checks of one host that all accounts together may trigger in that time. */
const hostChecks = { name: "checked-host", requestsMax: 60, windowSeconds: 600 };

/** Counts a triggered check of a resource. Throws 429 beyond the limits. */
type CheckLimit = (request: FastifyRequest, head: ResponseHead, resource: string) => Promise<void>;

/** Returns the limit of triggered checks, which also counts by the host of the resource. */
export function createCheckLimit(makeLimit: MakeLimit): CheckLimit {
  const limits = [makeLimit(ownChecks), makeLimit(hostChecks)] as const;
  return async (request, reply, resource) => {
    const [limitOwn, limitHost] = limits;
    await limitOwn(request, reply, request.session?.account ?? networkOfAddress(request.ip));
    await limitHost(request, reply, new URL(resource).hostname);
  };
}

export interface ListingRouteDeps extends ListingScope {
  readonly listings: Listings;
  readonly limitChecks: CheckLimit;
}

export function registerListings(server: TypedServer, deps: ListingRouteDeps): void {
  registerReading(server, deps);
  registerChanging(server, deps);
  server.post(`${path}/:id/check`, {
    config: { permission: "manage_listings" },
    schema: {
      operationId: "checkListing",
      tags: ["Listings"],
      summary: "Check a listing now",
      params: ListingId,
      body: NoBody,
      response: { 200: ListingResponse, ...changeProblems("not_found", "conflict") },
    },
    handler: async (request, reply) => {
      const { account } = sessionOf(request);
      const known = found(await deps.listings.find(account, request.params.id), "listing");
      await deps.limitChecks(request, reply, known.resource);
      const outcome = await deps.listings.recheck(account, known.id);
      if (outcome === "busy") throw notNow(known);
      return listingResponse(found(outcome, "listing"));
    },
  });
}

function registerReading(server: TypedServer, { listings }: ListingRouteDeps): void {
  server.get(path, {
    config: { permission: "read" },
    schema: {
      operationId: "listListings",
      tags: ["Listings"],
      summary: "List listings",
      response: { 200: exactly({ listings: Type.Array(ListingResponse) }), ...readProblems() },
    },
    handler: async (request) => {
      const own = await listings.list(sessionOf(request).account);
      return { listings: own.map(listingResponse) };
    },
  });
  server.get(`${path}/:id`, {
    config: { permission: "read" },
    schema: {
      operationId: "readListing",
      tags: ["Listings"],
      summary: "Read a listing",
      params: ListingId,
      response: { 200: ListingResponse, ...readProblems("not_found") },
    },
    handler: async (request) => {
      const listing = await listings.find(sessionOf(request).account, request.params.id);
      return listingResponse(found(listing, "listing"));
    },
  });
}

function registerChanging(server: TypedServer, deps: ListingRouteDeps): void {
  const { listings, limitChecks } = deps;
  server.post(path, {
    config: { permission: "manage_listings" },
    schema: {
      operationId: "createListing",
      tags: ["Listings"],
      summary: "Create a listing",
      description:
        "It is shown to the public once a check has found it as listed: HTTPS on a public address, an answer of 402 to a request without payment, and in its challenge an offer with this network, USDC, this price, and the account as payee.",
      body: ListingBody,
      response: { 201: ListingResponse, ...changeProblems("conflict") },
    },
    handler: async (request, reply) => {
      const { account } = sessionOf(request);
      const terms = readListing(deps, request.body);
      await limitChecks(request, reply, terms.resource);
      const listing = await listings.create(account, terms);
      if (listing === "taken") throw taken();
      if (listing === "too_many") throw tooMany();
      return reply.status(201).send(listingResponse(listing));
    },
  });
  server.put(`${path}/:id`, {
    config: { permission: "manage_listings" },
    schema: {
      operationId: "changeListing",
      tags: ["Listings"],
      summary: "Replace a listing's terms",
      description:
        "Address, method, network, price and sample are what checks are about: when one of them changes, the listing is not public until a check has passed again.",
      params: ListingId,
      body: ListingBody,
      response: { 200: ListingResponse, ...changeProblems("conflict", "not_found") },
    },
    handler: async (request, reply) => {
      const { account } = sessionOf(request);
      const terms = readListing(deps, request.body);
      await limitChecks(request, reply, terms.resource);
      const listing = await listings.change(account, request.params.id, terms);
      if (listing === "taken") throw taken();
      return listingResponse(found(listing, "listing"));
    },
  });
  server.delete(`${path}/:id`, {
    config: { permission: "manage_listings" },
    schema: {
      operationId: "removeListing",
      tags: ["Listings"],
      summary: "Remove a listing",
      params: ListingId,
      response: { 204: emptyResponse("It is not listed any more"), ...changeProblems("not_found") },
    },
    handler: async (request, reply) => {
      const { account } = sessionOf(request);
      found(await listings.remove(account, request.params.id), "listing");
      return reply.status(204).send(null);
    },
  });
}

function taken(): HttpProblem {
  return new HttpProblem(
    "conflict",
    "The account lists this endpoint on this network already; change that listing.",
  );
}

function tooMany(): HttpProblem {
  return new HttpProblem(
    "conflict",
    `The account has ${listingsMax} listings, as many as may be; remove one first.`,
  );
}

function notNow({ check, chainId }: Listing): HttpProblem {
  return new HttpProblem(
    "conflict",
    check.state === "blocked"
      ? `The operator has blocked this listing on ${networkOfChain(chainId).name}; contact them.`
      : "It is being checked right now; look again in a moment.",
  );
}
