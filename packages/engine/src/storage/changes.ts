/**
 * Notifications between processes that share a database. A method that creates or changes settlements
 * publishes them in its own transaction, so that peers see exactly what was committed. A process does
 * not receive its own notifications.
 */
import type { Kysely } from "kysely";
import type { Tables } from "./schema.ts";

export interface Change {
  /**
   * `queued`: created; `unserved`: created where there is no wallet; `changed`: moved to another
   * state or became final; `sent`: a node has the bytes.
   */
  readonly kind: "queued" | "unserved" | "changed" | "sent";
  /** The settlements; empty when notifications may have been lost and the receiver has to refresh. */
  readonly ids: readonly string[];
}

export type ChangeListener = (change: Change) => void;

export interface ChangeFeed {
  /** Notifies other processes once `db`'s transaction commits. */
  announce(db: Kysely<Tables>, change: Change): Promise<void>;
  /** Lets other processes see `owner` as connected, for as long as this process is. */
  appear(owner: string): Promise<void>;
  /** Calls `listener` with other processes' changes; returns a stop function. */
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
