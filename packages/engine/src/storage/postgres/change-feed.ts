/**
 * Notifications through LISTEN and NOTIFY, on a separate connection that reconnects. Notifications
 * sent meanwhile are lost, so listeners are called without ids after every reconnection; and before
 * it, when a statement reaches another server first.
 */
import { randomBytes } from "node:crypto";
import { sql, type Kysely } from "kysely";
import type { Client } from "pg";
import { systemClock } from "../../base/clock.ts";
import { messageOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import { changeKinds, type Change, type ChangeFeed, type ChangeListener } from "../changes.ts";
import type { Tables } from "../schema.ts";
import type { Connections } from "./connections.ts";

/** Channels are per database. */
const channel = "farthing_changes";

/** PostgreSQL accepts less than 8000 bytes, and an id has 36 and a comma. */
const idsMax = 200;

/** Pauses before a new connection: short at first, then light on a database that starts. */
const pauseMinMs = 100;
const pauseMaxMs = 5_000;

/** The prefix of a connected owner's lock name. */
export const presenceName = "owner ";

/** Creates a feed without a connection; `start` connects. */
export function createChangeFeed(
  connections: Connections,
  heartbeatMs: number,
  log: Log,
): ChangeFeed {
  /** Identifies this process, which ignores its own notifications. */
  const origin = randomBytes(6).toString("hex");
  const listeners = new Set<ChangeListener>();
  const owners = new Set<string>();
  let connected: Client | undefined;
  const stopping = new AbortController();
  let running: Promise<void> | undefined;

  function notify(change: Change | undefined): void {
    if (change) for (const listener of listeners) listener(change);
  }

  /** Listens until the connection breaks; throws when there is none. */
  async function listen(onListening: () => void): Promise<void> {
    const client = await connections.connect();
    const ended = endOf(client, stopping.signal);
    let isLeft = false;
    const leave = connections.onOther(() => {
      isLeft = true;
      ended.abort();
    });
    client.on("notification", ({ payload = "" }) => notify(parseChange(payload, origin)));
    try {
      await client.query(`listen ${channel}`);
      connected = client;
      for (const owner of owners) await show(client, owner);
      connections.note(client);
      onListening();
      while (!ended.signal.aborted) {
        await systemClock.sleep(heartbeatMs, ended.signal);
        if (!ended.signal.aborted) await connections.check(client);
      }
    } finally {
      leave();
      if (connected && !isLeft) connections.doubt();
      connected = undefined;
      // Not awaited, because a lost peer never confirms the end.
      void client.end();
    }
  }

  const lookAnew = () => notify({ kind: "changed", ids: [] });

  async function run(onFirst: () => void, onNever: (error: unknown) => void): Promise<void> {
    let pauseMs = pauseMinMs;
    let hasListened = false;
    const forget = connections.onOther(() => hasListened && lookAnew());
    stopping.signal.addEventListener("abort", forget, { once: true });
    while (!stopping.signal.aborted) {
      try {
        await listen(() => {
          pauseMs = pauseMinMs;
          if (hasListened) lookAnew();
          hasListened = true;
          onFirst();
        });
      } catch (error) {
        if (!hasListened) return onNever(error);
        log.warn({ problem: messageOf(error) }, "No news from other processes, trying again");
      }
      await systemClock.sleep(pauseMs, stopping.signal);
      pauseMs = Math.min(pauseMs * 2, pauseMaxMs);
    }
  }

  return {
    announce: (db, change) => announce(db, change, origin),
    async registerOwner(owner) {
      owners.add(owner);
      // A failure means that the connection is lost; the next one registers the owner again.
      if (connected) await show(connected, owner).catch(() => {});
    },
    hold: (name) => tryLock(connected, name),
    release: (name) => unlock(connected, name),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start: () =>
      new Promise((resolve, reject) => {
        running = run(resolve, reject);
      }),
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

/** Aborts when the connection ends, or with `stopping`. */
function endOf(client: Client, stopping: AbortSignal): AbortController {
  const ended = new AbortController();
  stopping.addEventListener("abort", () => ended.abort(), { signal: ended.signal });
  client.on("error", () => ended.abort());
  client.on("end", () => ended.abort());
  return ended;
}

/** The change that another process sent; undefined for one of this process, and for an unknown kind. */
function parseChange(payload: string, origin: string): Change | undefined {
  const [from, name, ids = ""] = payload.split(" ");
  // An unknown kind comes from a newer version during a rolling update.
  const kind = changeKinds.find((one) => one === name);
  return from !== origin && kind ? { kind, ids: ids.split(",") } : undefined;
}

async function announce(db: Kysely<Tables>, { kind, ids }: Change, origin: string): Promise<void> {
  if (ids.length === 0) return;
  const payloads: string[] = [];
  for (let at = 0; at < ids.length; at += idsMax) {
    payloads.push(`${origin} ${kind} ${ids.slice(at, at + idsMax).join(",")}`);
  }
  await sql`select pg_notify(${channel}, payload) from json_array_elements_text(${JSON.stringify(payloads)}::json) as payload`.execute(
    db,
  );
}

/** Takes a lock of the session, which the server releases with the connection. */
async function show(client: Client, owner: string): Promise<void> {
  await client.query("select pg_advisory_lock_shared(hashtextextended($1, 0))", [
    `${presenceName}${owner}`,
  ]);
}

/** Takes a lock of the session, as of owners. Without a connection no one knows who holds it. */
async function tryLock(client: Client | undefined, name: string): Promise<boolean> {
  const asked = client?.query<{ held: boolean }>(
    "select pg_try_advisory_lock(hashtextextended($1, 0)) as held",
    [name],
  );
  const held = await asked?.catch(() => undefined);
  return held?.rows[0]?.held === true;
}

async function unlock(client: Client | undefined, name: string): Promise<void> {
  const asked = client?.query("select pg_advisory_unlock(hashtextextended($1, 0))", [name]);
  // A failure means that the connection is lost, and with it the lock.
  await asked?.catch(() => undefined);
}
