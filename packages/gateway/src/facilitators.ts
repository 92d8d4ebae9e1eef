import {
  createFacilitatorClient,
  type Facilitator,
  type FacilitatorOptions,
} from "@farthing/seller";
import { embeddedName, type GatewayConfig } from "./configuration/configuration.ts";

/** The embedded facilitator as the gateway sees it. */
export type Engine = Required<Pick<FacilitatorOptions, "url" | "fetch">>;

/** Longest wait for one response: the facilitator waits up to 25 s for a settlement. */
const engineTimeoutMs = 30_000;

/** Creates the client of an embedded facilitator, which is called without a socket. */
export function inProcessFacilitator({ url, fetch }: Engine): Facilitator {
  return createFacilitatorClient({
    url,
    // Payment records outlive the address, which may have another port after a restart.
    name: embeddedName,
    fetch,
    timeoutMs: engineTimeoutMs,
    inProcess: true,
  });
}

/** Creates the clients of a configuration in order; a given one is the engine inside, or the only one. */
export function createClients(
  { facilitators }: Pick<GatewayConfig, "facilitators">,
  embedded: Facilitator | undefined,
): readonly Facilitator[] {
  if (embedded && facilitators.length === 1) return [embedded];
  return facilitators.map((one) => {
    if (one.kind === "remote") return createFacilitatorClient(one);
    if (embedded) return embedded;
    throw new Error("The configuration says embedded, and no engine was given.");
  });
}

/** Returns a facilitator that verifies payments and settles none. */
export function withoutSettling(facilitator: Facilitator): Facilitator {
  const errorMessage = "This gateway runs dry: it checks payments and settles none.";
  return {
    ...facilitator,
    async settle({ paymentRequirements: { network } }) {
      const refused = { success: false, network, transaction: "", errorReason: "dry_run" };
      return { kind: "settlement", settlement: { ...refused, errorMessage } };
    },
    settlement: async () => ({ kind: "not_found" }),
  };
}
