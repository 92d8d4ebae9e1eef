/**
 * Holds the service at the writes and sends of a story, so that a crash or a block comes between two of
 * them. A write waits in the database for a lock that the replay has; a send waits on its way to the node.
 */
import type { FaultyTransport, TransportFault } from "@farthing/lab/faulty-transport";
import type { Client } from "pg";
import type { SendReply } from "./acts.ts";

interface Held {
  readonly table: "relayer_transactions" | "settlements";
  /** The key of its lock: any number that nothing else uses. */
  readonly lock: number;
  readonly on: "insert" | "update";
  /** The condition of its trigger. */
  readonly only: string;
  /** How the notes of steps show it. */
  readonly noted: string;
}

const ofTransactions = `step like '%"kind" : "transaction"%'`;
const ofSettlements = `step like '%"kind" : "settlement"%'`;

/** The writes that can be held. */
const writes = {
  reserve: {
    table: "relayer_transactions",
    lock: 7_301,
    on: "insert",
    only: "true",
    noted: `${ofTransactions} and step like '%"change" : "made"%'`,
  },
  sign: {
    table: "relayer_transactions",
    lock: 7_302,
    on: "update",
    only: "old.state = 'intent' and new.state = 'signed'",
    noted: `${ofTransactions} and step like '%"state" : "signed"%'`,
  },
  close: {
    table: "relayer_transactions",
    lock: 7_303,
    on: "update",
    only: "old.state <> new.state and new.state in ('mined', 'dropped')",
    noted: `${ofTransactions} and step ~ '"state" : "(mined|dropped)"'`,
  },
  conclude: {
    table: "settlements",
    lock: 7_304,
    on: "update",
    only: "old.state <> new.state and new.state in ('confirmed', 'failed')",
    noted: `${ofSettlements} and step ~ '"state" : "(confirmed|failed)"'`,
  },
} as const satisfies Readonly<Record<string, Held>>;

export type Write = keyof typeof writes;

export const writeNames: readonly Write[] = ["reserve", "sign", "close", "conclude"];

/** Closes and opens the gates of writes. */
export interface WriteGates {
  close(write: Write): Promise<void>;
  open(write: Write): Promise<void>;
  /** How many such writes were made. */
  count(write: Write): Promise<number>;
  /** Whether the service waits to make one. */
  isAwaited(write: Write): Promise<boolean>;
  /** Ends the sessions that wait: the writes of a process that is gone are not made. */
  dropWaiting(): Promise<void>;
}

export async function createWriteGates(client: Client): Promise<WriteGates> {
  await client.query(`create function replay_gate() returns trigger language plpgsql as
    $$ begin
      perform pg_advisory_lock_shared(tg_argv[0]::bigint);
      -- A commit that has passed one gate and waits at the next one keeps the first one from closing.
      perform pg_advisory_unlock_shared(tg_argv[0]::bigint);
      return new;
    end $$`);
  for (const name of writeNames) {
    const { table, lock, on, only } = writes[name];
    await client.query(`create trigger replay_${name} before ${on} on ${table} for each row
      when (${only}) execute function replay_gate(${lock})`);
  }
  const closed = new Set<Write>();
  return {
    async close(write) {
      if (closed.has(write)) return;
      closed.add(write);
      await client.query("select pg_advisory_lock($1)", [writes[write].lock]);
    },
    async open(write) {
      if (!closed.delete(write)) return;
      await client.query("select pg_advisory_unlock($1)", [writes[write].lock]);
    },
    async count(write) {
      const { rows } = await client.query<{ count: string }>(
        `select count(*) from stored_steps where ${writes[write].noted}`,
      );
      return Number(rows[0]?.count ?? 0);
    },
    async isAwaited(write) {
      // Of this database: replays beside each other share a server.
      const waiting = `select 1 from pg_locks where locktype = 'advisory' and not granted and objid = $1
        and database = (select oid from pg_database where datname = current_database())`;
      return (await client.query(waiting, [writes[write].lock])).rows.length > 0;
    },
    async dropWaiting() {
      await client.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and wait_event = 'advisory'`);
    },
  };
}

/** Holds sends until they are let through one by one, or all. */
export interface SendGate {
  /** How many wait. */
  waiting(): number;
  /** Lets the oldest through; `fault`: what it meets. */
  let(fault: TransportFault | undefined): void;
  /** Cuts off those that wait. */
  cut(): void;
  open(): void;
  close(): void;
}

export function createSendGate([transport]: readonly FaultyTransport[]): SendGate {
  if (!transport) throw new Error("A run has a node");
  const held: ((fault: TransportFault | undefined) => void)[] = [];
  let isOpen = true;
  transport.decide = async (methods) => {
    if (isOpen || !methods.includes("eth_sendRawTransaction")) return undefined;
    return new Promise((resolve) => held.push(resolve));
  };
  const letAll = (fault: TransportFault | undefined) => {
    for (const one of held.splice(0)) one(fault);
  };
  return {
    waiting: () => held.length,
    let: (fault) => held.shift()?.(fault),
    cut: () => letAll("lost-before"),
    open() {
      isOpen = true;
      letAll(undefined);
    },
    close() {
      isOpen = false;
    },
  };
}

/** The fault of the transport that a reply of the model is; a node that drops what it accepts is none. */
export function faultOf(reply: SendReply): TransportFault | undefined {
  return reply === "lost-after" || reply === "lost-before" ? reply : undefined;
}
