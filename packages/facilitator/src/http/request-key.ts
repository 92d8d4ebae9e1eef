/** The API key of a request, put there by the authentication before the body is read. */
import type { Address } from "@farthing/protocol";

/** A key as requests carry it; the feature that stores keys adds what else it knows. */
export interface RequestKey {
  readonly id: string;
  /** The payout address that the key acts for. */
  readonly account: Address;
  readonly mode: "live" | "test";
}

declare module "fastify" {
  interface FastifyRequest {
    /** Null on surfaces that ask for none. */
    apiKey: RequestKey | null;
  }
}
