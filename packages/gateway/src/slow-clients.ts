/** Clients who do not read their response, or do not end their request. */
import type { ServerResponse } from "node:http";

/** Longest time without a read: even a slow line reads something every few seconds. */
const stallMsMax = 60_000;

/**
 * Grace for the rest of a request after its response. Cut off at once, the client might lose the
 * response with the connection; some never send the rest.
 */
const graceMs = 5_000;

/** Ends the response unless its client reads in time. To be called when data is ready. */
export function endWhenStalled(raw: ServerResponse): void {
  const timer = setTimeout(() => raw.destroy(), stallMsMax);
  const stop = (): void => {
    clearTimeout(timer);
    raw.off("drain", stop).off("close", stop);
  };
  raw.once("drain", stop).once("close", stop);
}

/** Closes the connection when the rest of a request takes too long after its response. */
export function closeAfterGrace(raw: ServerResponse): void {
  const { req: request } = raw;
  raw.once("finish", () => {
    if (request.complete) return;
    const { socket } = request;
    const cutOff = (): void => {
      if (!request.complete) socket.destroy();
    };
    const timer = setTimeout(cutOff, graceMs);
    socket.once("close", () => clearTimeout(timer));
  });
}
