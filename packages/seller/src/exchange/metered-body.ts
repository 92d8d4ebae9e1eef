/** Watches a response body, and reports how it ended: whole, cut, by a failure, or because the buyer left. */
import type { WorkEnd } from "../balance-options.ts";
import { createEventCutter } from "./whole-events.ts";

export interface BodyWatch {
  /** Called before each chunk leaves; false ends the body before it. */
  readonly onChunk: () => Promise<boolean>;
  /** Called once, before the end of the body leaves. */
  readonly onEnd: (end: WorkEnd) => Promise<void>;
  /** The last event of an event stream that is cut. Any other body that is cut breaks off. */
  readonly lastEvent?: string;
}

export function watchBody(
  body: ReadableStream<Uint8Array>,
  { onChunk, onEnd, lastEvent }: BodyWatch,
) {
  const reader = body.getReader();
  // The last event has to follow a whole one.
  const cutter = lastEvent === undefined ? undefined : createEventCutter();
  let isOver = false;
  let isLeft = false;
  async function finish(end: WorkEnd): Promise<void> {
    if (isOver) return;
    isOver = true;
    await onEnd(end);
  }
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const send = (bytes: Uint8Array): boolean => {
          if (bytes.length > 0) controller.enqueue(bytes);
          return bytes.length > 0;
        };
        try {
          for (;;) {
            const { done, value } = await reader.read();
            if (isOver || isLeft) return;
            if (done) {
              await finish("complete");
              if (cutter) send(cutter.rest());
              return controller.close();
            }
            if (!(await onChunk())) {
              void reader.cancel(new ReserveSpentError()).catch(() => undefined);
              await finish("reserve-spent");
              if (lastEvent === undefined) throw new ReserveSpentError();
              send(new TextEncoder().encode(lastEvent));
              return controller.close();
            }
            if (send(cutter ? cutter.next(value) : value)) return;
          }
        } catch (error) {
          await finish("failed");
          throw error;
        }
      },
      async cancel(reason) {
        isLeft = true;
        // The source may still find out what it has cost.
        await reader.cancel(reason).catch(() => undefined);
        await finish("buyer-left");
      },
    },
    // Nothing is read, and so nothing is metered, before the buyer can take it.
    { highWaterMark: 0 },
  );
}

/** Why a body ends that has cost more than its reserve. */
class ReserveSpentError extends Error {
  override readonly name = "ReserveSpentError";

  constructor() {
    super("The request has cost more than was reserved for it.");
  }
}
