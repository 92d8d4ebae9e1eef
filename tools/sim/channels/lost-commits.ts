/** Databases of a run that lose their last commits, as after a restore or the failover of a standby. */
import type { PutBack } from "../stored-copies.ts";

/** The facilitator's database, and the records that the shop's processes share. */
export const databaseNames = ["vault", "records"] as const;
export type DatabaseName = (typeof databaseNames)[number];

export interface LosableDatabase {
  copy(): Promise<PutBack>;
  /** Ends the processes that have it open. */
  killUsers(): void;
}

export function createLostCommits(databases: Readonly<Record<DatabaseName, LosableDatabase>>) {
  const copies = new Map<DatabaseName, PutBack>();
  return {
    async copy(name: DatabaseName): Promise<void> {
      copies.set(name, await databases[name].copy());
    },
    /** Loses what was committed since the copy. */
    async lose(name: DatabaseName): Promise<void> {
      databases[name].killUsers();
      await copies.get(name)?.();
    },
  };
}
