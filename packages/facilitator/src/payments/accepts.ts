/**
 * POST /accepts: Faremeter sellers (`@faremeter/middleware`) send the entries they mean to offer and
 * get back those that can be settled here, completed. What the seller wrote is echoed; the token's
 * description in `extra` is ours, because a wrong one makes every signature worthless.
 */
import {
  findNetwork,
  formatUsdc,
  isObject,
  isSameAddress,
  member,
  parseRequirements,
  parseWireAddress,
  textMembers,
  toWireRequirements,
  type JsonObject,
  type Requirements,
} from "@farthing/protocol";
import type { FastifyInstance } from "fastify";
import { HttpProblem } from "../http/responses.ts";
import { admission } from "../http/authenticate.ts";
import type { PaymentContext } from "./context.ts";
import { describeAccepts } from "./describe-surface.ts";
import type { Throttle } from "../http/limits.ts";
import { requireBody } from "../http/read-body.ts";
import { isServed, unitsMinOf, type Surface } from "../http/surface.ts";

/** A seller offers a few networks, and our buyer reads at most as many entries. */
const acceptsMax = 32;

/** The default of Faremeter's own helpers. */
const timeoutSecondsDefault = 300;

export function registerAccepts(
  server: FastifyInstance,
  context: PaymentContext,
  surface: Surface,
  throttle: Throttle,
): void {
  server.post(`${surface.basePath}/accepts`, {
    ...describeAccepts(surface),
    onRequest: admission(context, surface, throttle),
    preHandler: requireBody,
    handler: async (request) => completeOffers(surface, request.body, unitsMinOf(context, surface)),
  });
}

/**
 * Returns the challenge with the entries that the surface serves, completed. `unitsMin` is the least
 * amount that is settled there, in base units. Throws 400.
 */
function completeOffers(surface: Surface, body: unknown, unitsMin: bigint): JsonObject {
  const message = isObject(body) ? body : {};
  const version = member(message, "x402Version");
  if (version !== 1 && version !== 2) throw malformed("x402Version must be 1 or 2");
  const entries = member(message, "accepts");
  if (!Array.isArray(entries)) throw malformed("accepts must be a list of entries");
  if (entries.length > acceptsMax) throw malformed(`accepts may have ${acceptsMax} entries`);
  const accepts = entries.flatMap((entry: unknown, index) => {
    const place = `accepts[${index}]`;
    const offer = readOffer(surface, version, entry, place);
    if (!offer) return [];
    if (offer.requirements.amount < unitsMin) {
      throw malformed(`${place}: less than ${formatUsdc(unitsMin)} USDC is not settled here`);
    }
    return [completeEntry(offer, version)];
  });
  if (version === 1) return { x402Version: 1, accepts, error: "" };
  const resource = member(message, "resource");
  const named = isObject(resource) ? resource : {};
  return {
    x402Version: 2,
    resource: {
      url: "",
      ...textMembers(named, "url", "description", "mimeType"),
    },
    accepts,
  };
}

/** A completed entry and its requirements. */
interface Offer {
  readonly entry: JsonObject;
  readonly requirements: Requirements;
}

/** Reads one entry; undefined if the surface does not settle it. */
function readOffer(
  surface: Surface,
  version: 1 | 2,
  entry: unknown,
  place: string,
): Offer | undefined {
  if (!isObject(entry)) throw malformed(`${place} must be an object`);
  const scheme = member(entry, "scheme");
  const name = member(entry, "network");
  if (typeof scheme !== "string" || typeof name !== "string") {
    throw malformed(`${place} must have the texts scheme and network`);
  }
  // Faremeter passes unknown names unchanged: `xdc` in version 2 as well.
  const network = findNetwork(name);
  if (scheme !== "exact" || !network || !isServed(surface, version, network)) return undefined;
  const asset = member(entry, "asset") ?? network.usdc;
  const address = parseWireAddress(asset);
  if (address && !isSameAddress(address, network.usdc)) return undefined;
  const filled = {
    ...entry,
    network: version === 1 ? network.label : network.id,
    asset,
    maxTimeoutSeconds: member(entry, "maxTimeoutSeconds") ?? timeoutSecondsDefault,
  };
  const parsed = parseRequirements(filled);
  if (!parsed.ok) {
    if (parsed.refusal.code === "unsupported_transfer_method") return undefined;
    throw malformed(`${place}: ${parsed.refusal.message.slice(0, -1)}`);
  }
  return { entry: filled, requirements: parsed.value };
}

/**
 * Adds the token's description: the network's own, whatever the entry claimed. Faremeter's middleware
 * settles before it serves, never asks `/verify`, and serves for each success that it is told. The
 * entry says so unless the seller says otherwise: `/settle` then tells success once.
 */
function completeEntry({ entry, requirements }: Offer, version: 1 | 2): JsonObject {
  const { domainName: _name, domainVersion: _version, ...terms } = requirements;
  const own = member(entry, "extra");
  const { extra } = toWireRequirements(terms, version);
  const paymentFlow = requirements.paymentFlow ?? "upfront";
  return { ...entry, extra: { ...(isObject(own) ? own : {}), ...extra, paymentFlow } };
}

function malformed(problem: string): HttpProblem {
  return new HttpProblem("invalid_request", `${problem}.`);
}
