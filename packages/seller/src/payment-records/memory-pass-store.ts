/** Passes of one process. Each call runs to its end before the next one starts. */
import { maxPassKeptMs } from "./retention.ts";
import type { Pass, PassStore } from "./pass-store.ts";

/** Values that each new one looks at, to forget what is over: more than it adds, so nothing piles up. */
const maxSwept = 4;

export function createMemoryPassStore(passesMax: number, now: () => number): PassStore {
  const passes = new Map<string, Pass>();
  // Of sign-ins by holders of passes, which end within minutes, and of top-ups, which never end.
  const kept = new Map<string, { value: string; untilMs: number }>();
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
  function sweep(): void {
    let looked = 0;
    for (const [key, one] of kept) {
      if (++looked > maxSwept) break;
      kept.delete(key);
      // Behind all others, so that each has its turn.
      if (one.untilMs > now()) kept.set(key, one);
    }
  }
  function recall(key: string): string | undefined {
    const found = kept.get(key);
    return found && found.untilMs > now() ? found.value : undefined;
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
      sweep();
      const found = recall(key);
      if (found === undefined) kept.set(key, { value, untilMs });
      return found;
    },
    recall: async (key) => recall(key),
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
