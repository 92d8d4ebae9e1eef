/** The tokens of challenges that payments have shown, in memory, and by whom. */
import { tokenMsMax } from "./retention.ts";
import type { TokenStore } from "./store.ts";

interface Note {
  /** Null when several payers have shown the token. */
  readonly payer: string | null;
  readonly expiresAtMs: number;
}

/** Creates the notes of one process; of more than `notesMax` the oldest are forgotten. */
export function createMemoryTokens(notesMax: number, now: () => number): TokenStore {
  // In order of creation, so that the first is the oldest.
  const notes = new Map<string, Note>();
  function note(token: string, payer: string | null): void {
    notes.delete(token);
    notes.set(token, { payer, expiresAtMs: now() + tokenMsMax });
    for (const [oldest] of notes) {
      if (notes.size <= notesMax) break;
      notes.delete(oldest);
    }
  }
  return {
    async insert(token, payer) {
      const found = notes.get(token);
      if (found && found.expiresAtMs > now()) return found.payer;
      note(token, payer);
      return undefined;
    },
    share: async (token) => note(token, null),
  };
}
