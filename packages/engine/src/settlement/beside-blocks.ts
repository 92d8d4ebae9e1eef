/** Work on proofs that goes on beside the next blocks, since a second endpoint may be slow. */
import type { Proof } from "./chain-proofs.ts";

export function createBesideBlocks(onFailed: (error: unknown) => void) {
  const running = new Set<Promise<void>>();
  const decided = new Set<Proof>();

  return {
    /** Whether a proof is being worked on. */
    has: (proof: Proof) => decided.has(proof),
    start(proofs: readonly Proof[], work: (proofs: readonly Proof[]) => Promise<void>): void {
      if (proofs.length === 0) return;
      for (const proof of proofs) decided.add(proof);
      const run: Promise<void> = work(proofs)
        .catch(onFailed)
        .finally(() => {
          for (const proof of proofs) decided.delete(proof);
          running.delete(run);
        });
      running.add(run);
    },
    /** Resolves when what is running has ended. */
    end: async (): Promise<void> => void (await Promise.all(running)),
  };
}
