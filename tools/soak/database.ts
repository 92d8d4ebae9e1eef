/** The database of a soak: one server, or a primary with an asynchronous standby. */
import { startPostgres } from "@farthing/engine/testing";
import { startPostgresPair, type FailOver } from "@farthing/engine/testing/postgres-pair";
import { Client } from "pg";

/** The database that the fleet shares. */
export interface SoakDatabase {
  readonly url: string;
  /** Connects to the server that takes writes now. */
  connect(): Promise<Client>;
  /** Undefined without a standby. */
  readonly failOver: ((onKill: () => void) => Promise<FailOver>) | undefined;
  stop(): Promise<void>;
}

/** As far as a busy standby lags behind. */
const behindMs = 2_000;

export async function startDatabase({ failOvers }: { failOvers: number }): Promise<SoakDatabase> {
  if (failOvers === 0) {
    const { databaseUrl: url, stop } = await startPostgres({ isDurable: true });
    return { url, connect: () => connectTo(url), failOver: undefined, stop };
  }
  const pair = await startPostgresPair();
  return {
    url: pair.databaseUrl,
    connect: () => connectTo(pair.primaryUrl()),
    async failOver(onKill) {
      const done = await pair.failOver(behindMs, onKill);
      await pair.rebuild();
      return done;
    },
    stop: pair.stop,
  };
}

async function connectTo(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString });
  await client.connect();
  return client;
}
