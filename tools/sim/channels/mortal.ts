/**
 * A process that may be killed at any of its steps, before or after the step has its effect. What it
 * waits for afterwards never comes, as in a process that is gone.
 */
import type { SteppingClock } from "./stepping-clock.ts";

export interface Mortal {
  isDead(): boolean;
  kill(): void;
  /** Resolves when it is dead. */
  readonly ended: Promise<void>;
  /** A write or a call of the process. */
  step<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** What comes of something that others do. */
  whileAlive<T>(value: Promise<T>): Promise<T>;
  nowMs(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** When a process dies, asked at each of its steps. */
export type DrawEnd = (step: string) => "before" | "after" | undefined;

export function createMortal(clock: SteppingClock, drawEnd: DrawEnd): Mortal {
  const ended = Promise.withResolvers<void>();
  let isDead = false;

  function kill(): void {
    isDead = true;
    ended.resolve();
  }

  async function whileAlive<T>(value: Promise<T>): Promise<T> {
    const result = await value.then(
      (got) => ({ got }),
      (error: unknown) => ({ error }),
    );
    if (isDead) return never();
    if ("got" in result) return result.got;
    throw result.error;
  }

  return {
    isDead: () => isDead,
    kill,
    ended: ended.promise,
    async step(name, work) {
      const end = isDead ? undefined : drawEnd(name);
      if (end === "before") kill();
      if (isDead) return never();
      const done = clock.during(work());
      if (end === "after") {
        await done.catch(() => undefined);
        kill();
      }
      return whileAlive(done);
    },
    whileAlive,
    nowMs: () => clock.nowMs(),
    sleep: (ms, signal) => whileAlive(clock.sleep(ms, signal)),
  };
}

function never<T>(): Promise<T> {
  return new Promise<T>(() => undefined);
}
