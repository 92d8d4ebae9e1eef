/** The engine inside: a facilitator of the same process, which is asked without a socket. */
import { createFacilitatorClient, type Facilitator } from "@farthing/seller";

/** What the gateway needs of an engine. */
export interface Engine {
  readonly url: string;
  readonly fetch: typeof globalThis.fetch;
}

/** Longest wait for one answer of the engine, in milliseconds: it holds a settlement for 25 s. */
const engineTimeoutMs = 30_000;

/** Speaks to the engine as to any facilitator. */
export function inProcessFacilitator({ url, fetch }: Engine): Facilitator {
  return createFacilitatorClient({ url, fetch, timeoutMs: engineTimeoutMs, inProcess: true });
}
