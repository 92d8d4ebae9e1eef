/**
 * Notifications between processes that share a database. A method publishes its changes of
 * settlements in its own transaction, so that peers see exactly what was committed. A process does
 * not receive its own notifications.
 */
import type { Kysely } from "kysely";
import type { Tables } from "./schema.ts";

/**
 * `queued`: created; `unserved`: created by a process without a wallet; `changed`: changed state or
 * became final; `sent`: a node has the bytes.
 */
export const changeKinds = ["queued", "unserved", "changed", "sent"] as const;

export interface Change {
  readonly kind: (typeof changeKinds)[number];
  /** Empty when notifications may have been lost and the receiver has to refresh. */
  readonly ids: readonly string[];
}

export type ChangeListener = (change: Change) => void;

export interface ChangeFeed {
  /** Notifies other processes once `db`'s transaction commits. */
  announce(db: Kysely<Tables>, change: Change): Promise<void>;
  /** Registers `owner` as connected for the life of this process. */
  registerOwner(owner: string): Promise<void>;
  /** Holds a name until it is released, or this process ends; false while another process holds it. */
  hold(name: string): Promise<boolean>;
  release(name: string): Promise<void>;
  /** Calls `listener` with other processes' changes; returns a stop function. */
  onChange(listener: ChangeListener): () => void;
  /** Resolves when no later notification can be missed. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** For a database of a single process. */
export const noChanges: ChangeFeed = {
  announce: async () => {},
  registerOwner: async () => {},
  hold: async () => true,
  release: async () => {},
  onChange: () => () => {},
  start: async () => {},
  stop: async () => {},
};
