/** An in-process facilitator, called without a socket. */
import { createFacilitatorClient, type Facilitator } from "@farthing/seller";

/** The embedded facilitator as the gateway sees it. */
export interface Engine {
  readonly url: string;
  readonly fetch: typeof globalThis.fetch;
}

/** Longest wait for one response: the facilitator waits up to 25 s for a settlement. */
const engineTimeoutMs = 30_000;

export function inProcessFacilitator({ url, fetch }: Engine): Facilitator {
  return createFacilitatorClient({ url, fetch, timeoutMs: engineTimeoutMs, inProcess: true });
}
