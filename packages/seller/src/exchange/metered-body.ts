/** Watches a response body, and reports how it ended: whole, by a failure, or because the buyer left. */
import type { WorkEnd } from "../balance-options.ts";

export interface BodyWatch {
  /** Called before each chunk leaves. */
  readonly onChunk: () => Promise<void>;
  /** Called once, before the end of the body leaves. */
  readonly onEnd: (end: WorkEnd) => Promise<void>;
}

export function watchBody(body: ReadableStream<Uint8Array>, { onChunk, onEnd }: BodyWatch) {
  const reader = body.getReader();
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
        try {
          const { done, value } = await reader.read();
          if (isOver || isLeft) return;
          if (done) {
            await finish("complete");
            controller.close();
            return;
          }
          await onChunk();
          controller.enqueue(value);
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
