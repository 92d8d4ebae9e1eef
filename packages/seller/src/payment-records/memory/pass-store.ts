/** Passes of one process. Each call runs to its end before the next one starts. */
import { maxPassKeptMs } from "../retention.ts";
import type { Pass, PassStore } from "../passes/pass-store.ts";

/**
 * Nonces of sign-ins at once, some 150 bytes each. They end within minutes, so that many are sixty
 * sign-ins a second, by holders of passes or balances alone.
 */
export const maxNoncesInMemory = 20_000;

interface MemoryBounds {
  readonly passesMax: number;
  /** Top-ups and refunds that are remembered at once. */
  readonly notesMax: number;
  readonly now: () => number;
}

export function createMemoryPassStore({ passesMax, notesMax, now }: MemoryBounds): PassStore {
  const passes = new Map<string, Pass>();
  const nonces = createNotes(now);
  // Most of them are of top-ups, and never end: what a payment has bought must not be forgotten. So a
  // payment that would leave one is refused before it is taken, see `hasNoteRoom`.
  const notes = createNotes(now);
  const notesOf = (untilMs: number) => (untilMs - now() <= maxNonceMs ? nonces : notes);
  function find(id: string): Pass | undefined {
    const pass = passes.get(id);
    if (!pass || pass.expiresAtMs + maxPassKeptMs > now()) return pass;
    passes.delete(id);
    return undefined;
  }
  function set(pass: Pass): Pass {
    passes.set(pass.id, pass);
    return pass;
  }
  return {
    get: async (id) => find(id),
    async open(pass) {
      const found = find(pass.id);
      if (!found) return set(pass);
      return found.isVoid ? found : set({ ...found, tokenHash: pass.tokenHash });
    },
    async addUses(id, added, tokenHash) {
      const found = find(id);
      if (!found || found.isVoid) return undefined;
      if (tokenHash !== undefined && tokenHash !== found.tokenHash) return undefined;
      const usesLeft = found.usesLeft + added;
      return usesLeft < 0 || usesLeft > found.uses
        ? undefined
        : set({ ...found, usesLeft }).usesLeft;
    },
    async heldBy({ payer, networks, scope, nowMs }) {
      // One pass over the passes of a process is quicker than the signature that was checked.
      let held: Pass | undefined;
      for (const pass of passes.values()) {
        const isTheirs = pass.payment.payer.toLowerCase() === payer && pass.scope === scope;
        const isOpen = !pass.isVoid && pass.usesLeft > 0 && pass.expiresAtMs > nowMs;
        if (!isTheirs || !isOpen || !networks.includes(pass.payment.network)) continue;
        if (!held || pass.expiresAtMs >= held.expiresAtMs) held = pass;
      }
      return held;
    },
    async remember(key, value, untilMs) {
      const found = nonces.find(key) ?? notes.find(key);
      if (found !== undefined) return found;
      const kept = notesOf(untilMs);
      // A nonce that is forgotten could be used again, so that the sign-in is refused instead.
      if (kept === nonces && nonces.isFull(maxNoncesInMemory)) throw new Error(tooManyNonces);
      kept.add(key, value, untilMs);
      return undefined;
    },
    recall: async (key) => nonces.find(key) ?? notes.find(key),
    hasNoteRoom: async () => !notes.isFull(notesMax),
    async mark(id, mark) {
      const found = find(id);
      if (!found) return false;
      set({ ...found, ...(mark === "void" ? { isVoid: true } : { isFinal: true }) });
      return true;
    },
    async isFull() {
      if (passes.size < passesMax) return false;
      for (const id of passes.keys()) find(id);
      return passes.size >= passesMax;
    },
  };
}

const tooManyNonces = "Too many sign-ins are remembered at present; repeat this one in a minute.";

/** What ends later than this is no nonce of a sign-in. */
const maxNonceMs = 60 * 60 * 1000;

/** Values that each new one looks at, to forget what is over: more than it adds, so nothing piles up. */
const maxSwept = 4;

/** Values under keys, until a time each. */
function createNotes(now: () => number) {
  const kept = new Map<string, { readonly value: string; readonly untilMs: number }>();
  function sweep(most: number): void {
    let looked = 0;
    for (const [key, one] of kept) {
      if (++looked > most) break;
      kept.delete(key);
      // Behind all others, so that each has its turn.
      if (one.untilMs > now()) kept.set(key, one);
    }
  }
  return {
    find(key: string): string | undefined {
      const found = kept.get(key);
      return found && found.untilMs > now() ? found.value : undefined;
    },
    add(key: string, value: string, untilMs: number): void {
      sweep(maxSwept);
      kept.set(key, { value, untilMs });
    },
    isFull(most: number): boolean {
      if (kept.size < most) return false;
      sweep(kept.size);
      return kept.size >= most;
    },
  };
}
