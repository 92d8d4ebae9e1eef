/**
 * POST /accepts completes the offers of Faremeter sellers that can be settled here. The token in
 * `extra` is described by us, because a wrong description makes signatures worthless.
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
import { HttpProblem } from "../http/messages/responses.ts";
import { admission } from "../http/access/authenticate.ts";
import type { SurfaceScope } from "./context.ts";
import { describeAccepts } from "./describe-surface.ts";
import { requireBody } from "../http/server/read-body.ts";
import { isServed, unitsMinOf, type Surface } from "../http/access/surface.ts";

/** A seller offers a few networks, and our buyer reads at most as many entries. */
const maxAccepts = 32;

/** The default of Faremeter's own helpers. */
const timeoutSecondsDefault = 300;

export function registerAccepts({ server, context, surface, throttle }: SurfaceScope): void {
  server.post(`${surface.basePath}/accepts`, {
    ...describeAccepts(surface),
    onRequest: admission(context, surface, throttle),
    preHandler: requireBody,
    handler: async (request) => {
      const testNetworks = request.apiKey?.mode === "test" ? surface.testNetworks : [];
      const own = { ...surface, testNetworks };
      return completeOffers(own, request.body, unitsMinOf(context, surface));
    },
  });
}

/** Returns the challenge with the completed entries that the surface serves. Throws 400. */
function completeOffers(surface: Surface, body: unknown, unitsMin: bigint): JsonObject {
  const message = isObject(body) ? body : {};
  const version = member(message, "x402Version");
  if (version !== 1 && version !== 2) throw malformed("x402Version must be 1 or 2");
  const entries = member(message, "accepts");
  if (!Array.isArray(entries)) throw malformed("accepts must be a list of entries");
  if (entries.length > maxAccepts) throw malformed(`accepts may have ${maxAccepts} entries`);
  const accepts = entries.flatMap((entry: unknown, index) => {
    const location = `accepts[${index}]`;
    const offer = readOffer(surface, version, entry, location);
    if (!offer) return [];
    if (offer.requirements.amount < unitsMin) {
      throw malformed(`${location}: less than ${formatUsdc(unitsMin)} USDC is not settled here`);
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

interface Offer {
  readonly entry: JsonObject;
  readonly requirements: Requirements;
}

/** Reads one entry; undefined if the surface does not settle it. */
function readOffer(
  surface: Surface,
  version: 1 | 2,
  entry: unknown,
  location: string,
): Offer | undefined {
  if (!isObject(entry)) throw malformed(`${location} must be an object`);
  const scheme = member(entry, "scheme");
  const name = member(entry, "network");
  if (typeof scheme !== "string" || typeof name !== "string") {
    throw malformed(`${location} must have the texts scheme and network`);
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
    throw malformed(`${location}: ${parsed.refusal.message.slice(0, -1)}`);
  }
  return { entry: filled, requirements: parsed.value };
}

/**
 * Adds our description of the token. Faremeter settles without `/verify` and serves for every
 * success, so the entry asks for success once unless the seller says otherwise.
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
