/** What several requests change at the same time, in one transaction: each commit is a write of its own. */

/** More in one transaction would let the other requests of the process wait. */
const worksMax = 100;

type Strength = "surely" | "soon";

interface Waiting {
  readonly strength: Strength;
  /** Runs the work in the transaction; returns what tells its caller once that is committed. */
  run(): () => void;
  fail(error: unknown): void;
}

/**
 * `transaction` runs a function in a transaction, and throws when it cannot be committed. Work that is
 * wanted "surely" makes it so for all; the others wait no longer for it than for each other.
 */
export function createBatches(transaction: (work: () => void, strength: Strength) => void) {
  let waiting: Waiting[] = [];

  /** Commits what waits, also before the database is closed. */
  function commit(): void {
    const batch = waiting;
    waiting = [];
    if (batch.length === 0) return;
    const told: (() => void)[] = [];
    const strength = batch.some((one) => one.strength === "surely") ? "surely" : "soon";
    try {
      transaction(() => {
        for (const one of batch) told.push(one.run());
      }, strength);
    } catch (error) {
      for (const { fail } of batch) fail(error);
      return;
    }
    for (const tell of told) tell();
  }

  return {
    commit,
    /** Resolves once the work is committed. Work that throws changes nothing for the others. */
    add<T>(work: () => T, strength: Strength): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        waiting.push({
          strength,
          run() {
            try {
              const outcome = work();
              return () => resolve(outcome);
            } catch (error) {
              return () => reject(toReason(error));
            }
          },
          fail: (error) => reject(toReason(error)),
        });
        if (waiting.length >= worksMax) commit();
        else if (waiting.length === 1) setImmediate(commit);
      });
    },
  };
}

function toReason(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
