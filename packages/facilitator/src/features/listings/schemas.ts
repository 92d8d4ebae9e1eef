/** Listings in requests and responses of the account API. */
import { networkOfChain, networks, type ChainId } from "@farthing/protocol";
import { Type, type Static } from "typebox";
import { timeText } from "@farthing/engine/base";
import {
  addressOf,
  checkReasons,
  comparedFields,
  isPublic,
  listingMethods,
  listingStates,
  type Listing,
  type ListingTerms,
} from "./model.ts";
import { HttpProblem } from "../../http/messages/responses.ts";
import { findUrlProblem, type Reach } from "../../http/outbound/url-rules.ts";
import {
  AddressText,
  AmountText,
  anyObject,
  exactly,
  nullable,
  oneOf,
  TimeText,
} from "../../http/messages/schemas.ts";
import { servedChain, type ServedNetworks } from "../../http/messages/served-chain.ts";

/** The address is part of an index, whose rows have at most 2,704 bytes in PostgreSQL. */
const urlCharsMax = 2_000;

/** Bounds the sample request as JSON, which every check sends. */
const sampleCharsMax = 8_192;

const MethodText = oneOf(listingMethods);
const SampleBody = exactly(
  {
    query: Type.Optional(
      Type.Record(Type.String({ maxLength: 64 }), Type.String({ maxLength: 500 }), {
        maxProperties: 20,
      }),
    ),
    body: Type.Optional(Type.Unknown()),
    tool: Type.Optional(
      exactly(
        {
          name: Type.String({ minLength: 1, maxLength: 128, pattern: "^\\P{C}+$" }),
          arguments: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
        },
        "The paid tool, where the resource is an MCP server (streamable HTTP); the method is then `POST`, and there is neither `query` nor `body`",
      ),
    ),
  },
  "A request that can be quoted: what checks send, and an example for buyers",
);

/** The members that describe a check's request. */
export const EndpointMembers = {
  resource: Type.String({
    format: "uri",
    maxLength: urlCharsMax,
    description: "`https://…` on port 443 or 8443; its query belongs into `sample`",
  }),
  method: MethodText,
  sample: Type.Optional(SampleBody),
};
const EndpointBody = exactly(EndpointMembers);

export const NetworkText = oneOf(
  networks.map(({ id }) => id),
  "CAIP-2",
);

export const ListingBody = exactly({
  ...EndpointMembers,
  network: NetworkText,
  amount: AmountText,
  title: Type.String({ pattern: "^\\P{C}*[\\p{L}\\p{N}]\\P{C}*$", maxLength: 80 }),
  description: Type.Optional(Type.String({ pattern: "^[\\P{C}\\n]*$", maxLength: 500 })),
  tags: Type.Optional(
    Type.Array(Type.String({ pattern: "^[\\p{L}\\p{N}][\\p{L}\\p{N} ._+-]{0,31}$" }), {
      maxItems: 8,
      uniqueItems: true,
    }),
  ),
  mimeType: Type.Optional(
    nullable(Type.String({ pattern: "^[a-zA-Z0-9.+-]+/[a-zA-Z0-9.+*-]+$", maxLength: 100 })),
  ),
});

export const ListingResponse = exactly({
  id: Type.String(),
  resource: Type.String({ format: "uri" }),
  method: MethodText,
  title: Type.String(),
  description: Type.String(),
  tags: Type.Array(Type.String()),
  mimeType: nullable(Type.String()),
  sample: SampleBody,
  advertised: exactly({
    scheme: oneOf(["exact"]),
    network: NetworkText,
    asset: AddressText,
    amount: AmountText,
    payTo: AddressText,
  }),
  check: exactly({
    state: oneOf(
      listingStates,
      "`pending`: not checked yet; `failing`: one check failed; `hidden`: two in a row did, or the payee changed; `blocked`: by the operator",
    ),
    isPublic: Type.Boolean({ description: "Whether it is found by /discovery" }),
    checkedAt: nullable(
      Type.String({ format: "date-time", description: "The last check that counted" }),
    ),
    triedAt: nullable(
      Type.String({
        format: "date-time",
        description: "The last one that was tried, counted or not",
      }),
    ),
    passedAt: nullable(Type.String({ format: "date-time" })),
    nextAt: nullable(Type.String({ format: "date-time", description: "Null while it is blocked" })),
    failures: Type.Integer({ description: "In a row" }),
    reason: nullable(oneOf(checkReasons)),
    message: Type.String({ description: "What was found and what to change; empty when in order" }),
    differences: Type.Array(
      exactly({
        field: oneOf(comparedFields),
        advertised: Type.String(),
        seen: Type.String({ description: "Written by the endpoint" }),
      }),
    ),
  }),
  lastSeen: nullable(
    exactly({
      at: TimeText,
      x402Version: Type.Integer(),
      accepts: Type.Array(anyObject(), { description: "Of the last challenge, as received" }),
    }),
  ),
  stats: exactly(
    {
      settlements30d: Type.Integer(),
      volume30d: AmountText,
      payers30d: Type.Integer(),
      lastSettledAt: nullable(Type.String({ format: "date-time" })),
    },
    "Settlements with the account's keys at this price on this network",
  ),
  createdAt: TimeText,
  updatedAt: TimeText,
});

/** Listed endpoints use HTTPS; devnets also allow plain endpoints on this machine. */
export function listingReach(isLocal: boolean): Reach {
  return { isLocal, isPlain: false };
}

export interface ListingScope extends ServedNetworks {
  /** Listed endpoints may be on this machine. */
  readonly listingLocal: boolean;
}

/** Throws 400. */
export function readEndpoint(
  scope: ListingScope,
  { resource, method, sample = {} }: Static<typeof EndpointBody>,
): Pick<ListingTerms, "resource" | "method" | "sample"> {
  const problem = findUrlProblem(resource, listingReach(scope.listingLocal));
  if (problem !== undefined) throw wrong("resource", problem);
  const url = new URL(resource);
  if (url.search !== "" || resource.includes("?")) {
    throw wrong("resource", "It has a query; leave it out, and give an example of it in sample.");
  }
  if (JSON.stringify(sample).length > sampleCharsMax) {
    throw wrong("sample", `It may have ${sampleCharsMax} characters as JSON.`);
  }
  const { tool, ...request } = sample;
  if (tool && (method !== "POST" || Object.keys(request).length > 0)) {
    throw wrong("sample", "A tool is called by POST, without query and body.");
  }
  if (addressOf({ resource: url.href, sample }).length > urlCharsMax) {
    const what = tool ? "sample.tool.name: The address and the name" : "resource: It";
    throw new HttpProblem(
      "invalid_request",
      `${what} may have ${urlCharsMax} characters, escaped as in an address.`,
    );
  }
  return { resource: url.href, method, sample };
}

/** Throws 400 when the network is not served. */
export function readNetwork(scope: ListingScope, text: Static<typeof NetworkText>): ChainId {
  const network = networks.find(({ id }) => id === text);
  if (!network) throw wrong("network", "There is no such network.");
  return servedChain(scope, network.chainId);
}

/** Throws 400. */
export function readListing(scope: ListingScope, body: Static<typeof ListingBody>): ListingTerms {
  const { network, amount, title, description = "", tags = [], mimeType = null, ...rest } = body;
  return {
    ...readEndpoint(scope, rest),
    chainId: readNetwork(scope, network),
    amount: readAmount(amount),
    title: title.trim(),
    description,
    tags,
    mimeType,
  };
}

/** Returns base units. Throws 400. */
export function readAmount(text: string): bigint {
  const units = BigInt(text);
  if (units > 0n && units <= amountMax) return units;
  throw wrong("amount", "It must be above 0, and less than there is USDC.");
}

/** A trillion USDC: more than there is, and fits every database. */
const amountMax = 10n ** 18n;

function wrong(where: string, problem: string): HttpProblem {
  return new HttpProblem("invalid_request", `${where}: ${problem}`);
}

export function listingResponse(listing: Listing) {
  const { id, resource, method, title, description, mimeType, chainId, check, seen, stats } =
    listing;
  const network = networkOfChain(chainId);
  return {
    id,
    resource,
    method,
    title,
    description,
    tags: [...listing.tags],
    mimeType,
    sample: listing.sample,
    advertised: {
      scheme: "exact" as const,
      network: network.id,
      asset: network.usdc,
      amount: listing.amount.toString(),
      payTo: listing.account,
    },
    check: {
      state: check.state,
      isPublic: isPublic(check),
      checkedAt: timeText(check.checkedAt),
      triedAt: timeText(check.triedAt),
      passedAt: timeText(check.passedAt),
      nextAt: check.state === "blocked" ? null : timeText(check.nextAt),
      failures: check.failures,
      reason: check.reason,
      message: check.message,
      differences: check.differences.map((difference) => ({ ...difference })),
    },
    lastSeen: seen && {
      at: timeText(seen.at) ?? "",
      x402Version: seen.x402Version,
      accepts: [...seen.accepts],
    },
    stats: {
      settlements30d: stats.settlements,
      volume30d: stats.units.toString(),
      payers30d: stats.payers,
      lastSettledAt: timeText(stats.lastSettledAt),
    },
    createdAt: timeText(listing.createdAt) ?? "",
    updatedAt: timeText(listing.updatedAt) ?? "",
  };
}
