/** The tokens of challenges that payments have shown, in memory, and by whom. */
import { tokenMsMax } from "./retention.ts";

interface Note {
  /** Undefined when several payers have shown the token. */
  readonly payer: string | undefined;
  readonly expiresAtMs: number;
}

/** Creates the notes of one process; of more than `notesMax` the oldest are forgotten. */
export function createTokenNotes(notesMax: number, now: () => number) {
  // In order of creation, so that the first is the oldest.
  const notes = new Map<string, Note>();
  return {
    /** Notes that a payer has shown a token. True when another payer has shown it as well. */
    isShared(token: string, payer: string): boolean {
      const found = notes.get(token);
      const note = found && found.expiresAtMs > now() ? found : undefined;
      if (note && (note.payer === undefined || note.payer === payer)) {
        return note.payer === undefined;
      }
      notes.delete(token);
      const isShared = note !== undefined;
      notes.set(token, {
        payer: isShared ? undefined : payer,
        expiresAtMs: now() + tokenMsMax,
      });
      for (const [oldest] of notes) {
        if (notes.size <= notesMax) break;
        notes.delete(oldest);
      }
      return isShared;
    },
  };
}
