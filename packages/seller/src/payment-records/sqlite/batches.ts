/** What several requests change at the same time, in one transaction: each commit is a write of its own. */

/** More in one transaction would let the other requests of the process wait. */
const worksMax = 100;

interface Waiting {
  /** Runs the work in the transaction; returns what tells its caller once that is committed. */
  run(): () => void;
  fail(error: unknown): void;
}

/** `transaction` runs a function in a transaction, and throws when it cannot be committed. */
export function createBatches(transaction: (work: () => void) => void) {
  let waiting: Waiting[] = [];

  /** Commits what waits, also before the database is closed. */
  function commit(): void {
    const batch = waiting;
    waiting = [];
    if (batch.length === 0) return;
    const told: (() => void)[] = [];
    try {
      transaction(() => {
        for (const one of batch) told.push(one.run());
      });
    } catch (error) {
      for (const { fail } of batch) fail(error);
      return;
    }
    for (const tell of told) tell();
  }

  return {
    commit,
    /** Resolves once the work is committed. Work that throws changes nothing for the others. */
    add<T>(work: () => T): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        waiting.push({
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
