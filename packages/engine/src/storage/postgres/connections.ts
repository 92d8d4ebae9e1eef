/**
 * Connections to the servers of a URL. All of a process go to one server, until a connection to it
 * fails; then the process asks all servers at once and goes to the first that serves it.
 */
import { Client, Pool, type ClientBase, type ClientConfig, type PoolClient } from "pg";
import { messageOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import type { PostgresServer, PostgresServers } from "./postgres-url.ts";

/** Limits of a session by their names on the server, in milliseconds. */
export type SessionLimits = Readonly<Record<string, number>>;

export interface PoolSettings {
  readonly connectionsMax: number;
  /** How long a statement's answer may take, in milliseconds. */
  readonly answerMs: number;
  readonly limits: SessionLimits;
}

export type Connections = ReturnType<typeof createConnections>;

/** PostgreSQL's code of a write where none is possible. */
const readOnlyCode = "25006";

/** A connection that knows its server. */
class ServerClient extends Client {
  readonly server: PostgresServer;
  /** The start of the server that responds there; empty before its first statement. */
  startedAt = "";

  constructor(server: PostgresServer, config: ClientConfig) {
    super({ ...config, connectionString: server.url });
    this.server = server;
    // In use, the failing query reports an error; the pool listens while the connection is idle.
    this.on("error", () => {});
  }
}

/** How a connection to any of the servers is opened. */
interface OpeningTerms {
  readonly config: ClientConfig;
  readonly mustWrite: boolean;
  /** The first statement of a connection may take as long as the connection itself. */
  readonly connectMs: number;
}

/** Notices that a connection may be the first one to another server, or to one that has restarted. */
class ServerChanges {
  readonly #listeners = new Set<() => void>();
  /** The server of the newest connection and its start; undefined before the first one. */
  #newest: string | undefined;
  #isDoubted = false;

  /** A connection broke that should have lasted, so the server may have restarted. */
  doubt(): void {
    this.#isDoubted = true;
  }

  /** Notes the server of a new connection; returns whether it may be another one than before. */
  note(client: ClientBase): boolean {
    if (!(client instanceof ServerClient)) return false;
    const found = `${client.server.name} ${client.startedAt}`;
    const isOther = this.#newest !== undefined && (this.#isDoubted || found !== this.#newest);
    this.#newest = found;
    this.#isDoubted = false;
    return isOther;
  }

  /** Notes the server of a connection of a pool, before that connection is used. */
  announce(client: ClientBase): void {
    if (this.note(client)) for (const listener of this.#listeners) listener();
  }

  onOther(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

export function createConnections(
  { servers, mustWrite }: PostgresServers,
  config: ClientConfig,
  { log, connectMs }: { readonly log: Log; readonly connectMs: number },
) {
  const terms = { config, mustWrite, connectMs };
  const changes = new ServerChanges();
  let current = servers[0];
  let search: Promise<PostgresServer> | undefined;

  /** Connects; once more, and to another server, when the current one fails and another serves. */
  async function connectAnywhere<T>(connect: () => Promise<T>): Promise<T> {
    const failed = current;
    try {
      return await connect();
    } catch (error) {
      if (servers.length === 1 || isPoolFull(error)) throw error;
      if (current === failed) {
        search ??= findServer(servers, terms).finally(() => (search = undefined));
        const found = await search;
        if (found === failed) throw error;
        if (current === failed) {
          current = found;
          const fields = { event: "database_server_changed", server: found.name };
          log.warn({ ...fields, problem: messageOf(error) }, "Another database server is used");
        }
      }
      return connect();
    }
  }

  return {
    /** Connects outside of a pool. */
    connect: () => connectAnywhere(() => open(current, terms)),
    /** Throws when the connection is lost or its server serves this process no more. */
    check: (client: ClientBase) => (mustWrite ? prepare(client, terms) : client.query("select 1")),
    /** A connection broke that should have lasted. */
    doubt: () => changes.doubt(),
    note: (client: ClientBase) => changes.note(client),
    /**
     * Calls `listener` when a connection of a pool may be the first one to another server, or to one that
     * has restarted, before that connection is used: either may lack commits.
     */
    onOther: (listener: () => void) => changes.onOther(listener),
    /** Whether an error says that a statement needs another server. */
    isMisplaced: (error: unknown) => mustWrite && isReadOnlyError(error),
    createPool({ connectionsMax, answerMs, limits }: PoolSettings): Pool {
      const settings = { ...config, query_timeout: answerMs };
      const pool = new Pool({
        ...settings,
        max: connectionsMax,
        Client: class extends ServerClient {
          constructor() {
            super(current, settings);
          }
        },
        verify: (client, verified) =>
          void prepare(client, terms, limits)
            .then(() => changes.announce(client))
            .then(() => verified(), verified),
      });
      pool.on("error", (error) => {
        log.warn({ problem: messageOf(error) }, "Lost an idle connection to the database");
      });
      return pool;
    },
    /** Takes a connection of the pool to the current server; those to a former one are closed. */
    async take(pool: Pool): Promise<PoolClient> {
      for (;;) {
        const client = await connectAnywhere(() => pool.connect());
        if (!(client instanceof ServerClient) || client.server === current) return client;
        client.release(true);
      }
    },
  };
}

/** Throws unless the server serves this process. */
async function prepare(
  client: ClientBase,
  { mustWrite, connectMs }: OpeningTerms,
  limits: SessionLimits = {},
): Promise<void> {
  // As a statement: poolers refuse or drop limits that come with the start of a connection.
  const wanted = Object.entries(limits).map(
    ([name, ms]) => `set_config('${name}', '${ms}', false)`,
  );
  wanted.push("pg_postmaster_start_time()::text as started_at");
  if (mustWrite) wanted.push("current_setting('transaction_read_only') as read_only");
  const statement = { text: `select ${wanted.join(", ")}`, query_timeout: connectMs };
  const { rows } = await client.query<{ started_at: string; read_only?: string }>(statement);
  if (client instanceof ServerClient) client.startedAt = rows[0]?.started_at ?? "";
  if (rows[0]?.read_only !== "on") return;
  throw Object.assign(new Error("The server is read-only"), { code: readOnlyCode });
}

async function open(server: PostgresServer, terms: OpeningTerms): Promise<ServerClient> {
  const client = new ServerClient(server, terms.config);
  try {
    await client.connect();
    await prepare(client, terms);
    return client;
  } catch (error) {
    // Not awaited, because a lost peer never confirms the end.
    void client.end();
    throw error;
  }
}

/** Returns the first server that serves this process. Throws why none does. */
async function findServer(
  servers: PostgresServers["servers"],
  terms: OpeningTerms,
): Promise<PostgresServer> {
  const asked = servers.map(async (server) => {
    void (await open(server, terms)).end();
    return server;
  });
  try {
    return await Promise.any(asked);
  } catch (error) {
    const reasons: unknown[] = error instanceof AggregateError ? error.errors : [error];
    // A standby that answers will be the primary; another server may be down for good.
    throw reasons.find(isReadOnlyError) ?? reasons[0];
  }
}

/** By PostgreSQL's code, as of a standby. */
export function isReadOnlyError(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === readOnlyCode;
}

/** The pool reports in the message alone that all of its connections are in use. */
function isPoolFull(error: unknown): boolean {
  return messageOf(error).startsWith("timeout exceeded when trying to connect");
}
