import type { Channels } from "@farthing/engine";

export type Called = Awaited<ReturnType<Channels["call"]>>;

/** Makes a call, and undoes what was done for it where nothing was sent: it fails, or would revert. */
export async function callOrUndo(
  call: () => Promise<Called>,
  undo: () => Promise<void>,
): Promise<Called> {
  const called = await call().catch(async (error: unknown) => {
    await undo();
    throw error;
  });
  if (called.kind === "reverts") await undo();
  return called;
}
