/**
 * Commits concurrent transactions together. A database with one writer runs them one after the
 * other anyway, and the synced write at the end is the cost: each runs under its own savepoint, and
 * one commit serves all. No caller gets a result before that commit.
 */
import { sql, type Kysely } from "kysely";
import type { Tables } from "./schema.ts";

/** Runs work whole or not at all, in one commit with other waiting work. */
export type GroupCommit = <T>(work: (db: Kysely<Tables>) => Promise<T>) => Promise<T>;

/** Each transaction delays the first for less than a millisecond. */
const groupMax = 64;

interface Job {
  /** Does the work; returns what to do after the commit. */
  run(db: Kysely<Tables>): Promise<() => void>;
  reject(reason: unknown): void;
}

/** Creates the group commit of a database with one connection. */
export function createGroupCommit(db: Kysely<Tables>): GroupCommit {
  let waiting: Job[] = [];
  let isRunning = false;

  async function runAll(): Promise<void> {
    while (waiting.length > 0) {
      const group = waiting.slice(0, groupMax);
      waiting = waiting.slice(groupMax);
      await runGroup(db, group);
    }
    isRunning = false;
  }

  return <T>(work: (inside: Kysely<Tables>) => Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      waiting.push({
        async run(inside) {
          const result = await work(inside);
          return () => resolve(result);
        },
        reject,
      });
      if (isRunning) return;
      isRunning = true;
      // Work of the same turn of the event loop joins.
      setImmediate(() => void runAll());
    });
}

async function runGroup(db: Kysely<Tables>, group: readonly Job[]): Promise<void> {
  const done: (() => void)[] = [];
  const failed: (() => void)[] = [];
  try {
    await db.transaction().execute(async (inside) => {
      for (const job of group) {
        await sql`savepoint job`.execute(inside);
        try {
          done.push(await job.run(inside));
        } catch (error) {
          await rollBackJob(inside, error);
          failed.push(() => job.reject(error));
        }
        await sql`release job`.execute(inside);
      }
    });
  } catch (error) {
    for (const job of group) job.reject(error);
    return;
  }
  for (const answer of [...done, ...failed]) answer();
}

/**
 * Throws when the database has rolled the whole transaction back, and none of the work was done: then
 * the error of the database that came first, such as a full disk, is the cause for all.
 */
async function rollBackJob(inside: Kysely<Tables>, first: unknown): Promise<void> {
  try {
    await sql`rollback to job`.execute(inside);
  } catch (error) {
    const isOfDatabase = first instanceof Error && "errcode" in first;
    throw isOfDatabase ? first : error;
  }
}
