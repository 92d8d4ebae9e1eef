/**
 * News between processes that share a database. A verb that creates or moves settlements announces
 * it in its own transaction, so others hear of exactly what was committed. The process that made a
 * change does not hear of it: it tells its own waiters.
 */
import type { Kysely } from "kysely";
import type { Tables } from "./schema.ts";

/** What happened to settlements. */
export interface Change {
  /**
   * `queued`: created; `unserved`: created where there is no wallet; `changed`: moved to another
   * state or became final; `sent`: a node has the bytes.
   */
  readonly kind: "queued" | "unserved" | "changed" | "sent";
  /** Which ones; none when news may have been missed: look for yourself. */
  readonly ids: readonly string[];
}

export type ChangeListener = (change: Change) => void;

/** The way news takes. */
export interface ChangeFeed {
  /** Tells other processes once `db`'s transaction commits. */
  announce(db: Kysely<Tables>, change: Change): Promise<void>;
  /** Lets other processes see `owner` as connected, for as long as this process is. */
  appear(owner: string): Promise<void>;
  /** Calls `listener` with other processes' changes; gives what ends that. */
  onChange(listener: ChangeListener): () => void;
  /** Begins to listen; resolves when nothing can be missed any more. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** For a database that one process has to itself. */
export const noChanges: ChangeFeed = {
  announce: async () => {},
  appear: async () => {},
  onChange: () => () => {},
  start: async () => {},
  stop: async () => {},
};
