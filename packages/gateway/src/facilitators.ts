import {
  createFacilitatorClient,
  type Facilitator,
  type FacilitatorOptions,
} from "@farthing/seller";

/** The embedded facilitator as the gateway sees it. */
export type Engine = Required<Pick<FacilitatorOptions, "url" | "fetch">>;

/** Longest wait for one response: the facilitator waits up to 25 s for a settlement. */
const engineTimeoutMs = 30_000;

/** Creates the client of an embedded facilitator, which is called without a socket. */
export function inProcessFacilitator({ url, fetch }: Engine): Facilitator {
  return createFacilitatorClient({ url, fetch, timeoutMs: engineTimeoutMs, inProcess: true });
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
