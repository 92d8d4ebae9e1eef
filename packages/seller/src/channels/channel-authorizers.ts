/**
 * Who signs claims and refunds for the seller: its own key, or a facilitator that offers to. The offer of
 * a facilitator is asked for when the first request comes, since some runtimes allow no call before.
 */
import {
  channelScheme,
  isObject,
  member,
  parseWireAddress,
  zeroAddress,
  type Address,
  type Hex,
  type JsonObject,
  type Network,
} from "@farthing/protocol";
import type { Clock } from "../clock.ts";
import type { FacilitatorOrder } from "../facilitator-order.ts";
import { ConfigurationError } from "../option-values.ts";
import type { AuthorizerKey } from "./channel-options.ts";

/** The authorizer of the channels of one network. */
export interface ChannelAuthority {
  readonly address: Address;
  /** The place in the seller's order of the facilitator that its channels go through. */
  readonly nth: number;
  /** Where the seller signs for itself. */
  readonly privateKey?: Hex;
}

export interface ChannelAuthorities {
  /**
   * Undefined while no facilitator can be asked. Throws {@link ConfigurationError} where none offers to
   * sign and the seller has no key.
   */
  at(network: Network): Promise<ChannelAuthority | undefined>;
}

/** One call, as long as a buyer waits for a price. */
const lookupMs = 5_000;

/** Pause after a lookup that found none: a facilitator may be restarting, or a key may be renewed. */
const retryMs = 5_000;

interface Lookup {
  readonly found: Promise<ChannelAuthority | "none" | undefined>;
  readonly againAtMs: number;
}

export function createChannelAuthorities(
  facilitators: FacilitatorOrder,
  key: AuthorizerKey | undefined,
  clock: Clock,
): ChannelAuthorities {
  // At most one entry for each network that we know.
  const lookups = new Map<string, Lookup>();
  return {
    async at(network) {
      if (key) return { ...key, nth: 0 };
      const known = lookups.get(network.id);
      let lookup = known;
      if (!lookup || (clock.now() >= lookup.againAtMs && !isFound(await lookup.found))) {
        lookup = { found: lookUp(facilitators, network), againAtMs: clock.now() + retryMs };
        lookups.set(network.id, lookup);
      }
      const found = await lookup.found;
      if (found !== "none") return found;
      throw new ConfigurationError(
        "channels.authorizerKey",
        `set, because no facilitator of this seller offers to sign the claims of channels on ${network.id}`,
        "process.env.CHANNEL_KEY",
      );
    },
  };
}

function isFound(found: ChannelAuthority | "none" | undefined): boolean {
  return found !== undefined && found !== "none";
}

async function lookUp(
  facilitators: FacilitatorOrder,
  network: Network,
): Promise<ChannelAuthority | "none" | undefined> {
  let isCertain = true;
  for (const [nth, { client }] of facilitators.entries()) {
    const reply = await client.status?.get("/supported", { timeoutMs: lookupMs });
    if (!reply) continue;
    const kinds = reply.kind === "response" && reply.status === 200 && kindsIn(reply.body);
    if (!kinds) isCertain = false;
    const address = kinds ? authorizerIn(kinds, network) : undefined;
    if (address) return { address, nth };
  }
  return isCertain ? "none" : undefined;
}

function kindsIn(body: unknown): readonly JsonObject[] | undefined {
  const kinds = isObject(body) ? member(body, "kinds") : undefined;
  return Array.isArray(kinds) ? kinds.filter(isObject) : undefined;
}

/** The authorizer that one of the kinds offers for a network. */
export function authorizerIn(kinds: readonly JsonObject[], { id }: Network): Address | undefined {
  for (const kind of kinds) {
    if (member(kind, "scheme") !== channelScheme || member(kind, "network") !== id) continue;
    const extra = member(kind, "extra");
    const address = isObject(extra)
      ? parseWireAddress(member(extra, "receiverAuthorizer"))
      : undefined;
    if (address && address !== zeroAddress) return address;
  }
  return undefined;
}
