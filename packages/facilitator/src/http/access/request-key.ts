/** The API key of a request, which authentication sets before the body is read. */
import type { Address, ChainId } from "@farthing/protocol";

/** `live` keys settle on XDC mainnet, `test` keys elsewhere. */
export type KeyMode = "live" | "test";

/** The mode of the keys that settle on a chain. */
export function keyModeOf(chainId: ChainId): KeyMode {
  return chainId === 50 ? "live" : "test";
}

/** The part of a key that requests carry; the feature that stores keys has the rest. */
export interface RequestKey {
  readonly id: string;
  /** The payout address that the key acts for. */
  readonly account: Address;
  readonly mode: KeyMode;
}

declare module "fastify" {
  interface FastifyRequest {
    /** Null on surfaces without keys. */
    apiKey: RequestKey | null;
  }
}
