/** The API key of a request, which authentication sets before the body is read. */
import type { Address } from "@farthing/protocol";

/** The part of a key that requests carry; the feature that stores keys has the rest. */
export interface RequestKey {
  readonly id: string;
  /** The payout address that the key acts for. */
  readonly account: Address;
  readonly mode: "live" | "test";
}

declare module "fastify" {
  interface FastifyRequest {
    /** Null on surfaces without keys. */
    apiKey: RequestKey | null;
  }
}
