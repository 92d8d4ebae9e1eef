/** A database is put back while a service connects to it again and again. */
import { startPostgres } from "@farthing/engine/testing";
import { Client } from "pg";
import { afterAll, expect, test } from "vitest";
import { copyPostgres } from "./stored-copies.ts";

const server = await startPostgres();
afterAll(() => server.stop());

test("sessions that lock tables the other way round do not hold up a failover", async () => {
  const url = await server.createDatabase();
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query("create table a (n int); create table b (n int); insert into a values (1)");
  const putBack = await copyPostgres(client);
  await client.query("update a set n = 2");

  const service = new AbortController();
  const sessions = Array.from({ length: 4 }, () => useBackwards(url, service.signal));
  for (let failover = 0; failover < 3; failover++) await putBack();
  service.abort();
  await Promise.all(sessions);

  expect((await client.query("select n from a")).rows).toEqual([{ n: 1 }]);
  await client.end();
});

/** A session that is cut is followed by another one, until the signal. */
async function useBackwards(url: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const session = new Client({ connectionString: url });
    session.on("error", () => {});
    try {
      await session.connect();
      while (!signal.aborted) await session.query("begin; select from b; select from a; commit");
    } catch {
      // Its session was ended.
    }
    await session.end().catch(() => {});
  }
}
