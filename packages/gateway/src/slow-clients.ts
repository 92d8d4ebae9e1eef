/** Clients who do not take their answer, or do not end their request, and still hold a connection. */
import type { ServerResponse } from "node:http";

/**
 * How long a client may take nothing of what is ready for him, in milliseconds. Somebody who reads
 * nothing holds one of the upstream's connections; a slow line takes something every few seconds.
 */
const stallMsMax = 60_000;

/**
 * How long the rest of a request is awaited that has its answer already, in milliseconds. Cut off at
 * once, the client might lose the answer with the connection; some then send nothing more at all.
 */
const graceMs = 5_000;

/** Ends the answer unless its client takes of it in time; to be called when more is ready. */
export function endWhenStalled(raw: ServerResponse): void {
  const timer = setTimeout(() => raw.destroy(), stallMsMax);
  const stop = (): void => {
    clearTimeout(timer);
    raw.off("drain", stop).off("close", stop);
  };
  raw.once("drain", stop).once("close", stop);
}

/** Waits a little for the rest of a request after its answer, and no longer. */
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
