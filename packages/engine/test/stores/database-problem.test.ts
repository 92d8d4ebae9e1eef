/** What an operator is told when PostgreSQL cannot be used: which one, why, and no secret. */
import { createServer, type Socket } from "node:net";
import { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { messageOf } from "../../src/base.ts";
import type { Claim } from "../../src/index.ts";
import { findWriteRefusal } from "../../src/storage/database-problem.ts";
import { startPostgres } from "../../src/storage/postgres.testing.ts";
import { postgresLimits } from "../../src/storage/postgres/open-postgres.ts";
import { openStore } from "./store-benches.testing.ts";
import { claimOf } from "./store-values.testing.ts";

async function whyNotOpened(host: string): Promise<string> {
  const url = `postgres://me:a-password@${host}/farthing`;
  const limits = { ...postgresLimits, connectMs: 300 };
  return openStore(url, { limits }).then(() => "it opened", messageOf);
}

test("nothing listens there", async () => {
  const said = await whyNotOpened("127.0.0.1:9");
  expect(said).toContain("PostgreSQL, 127.0.0.1:9/farthing");
  expect(said).toContain("nothing listens there; start the database, or correct DATABASE_URL");
  expect(said).not.toContain("a-password");
});

test("a host that has no address", async () => {
  const said = await whyNotOpened("no-such-host.invalid:5432");
  expect(said).toMatch(/no-such-host\.invalid:5432\/farthing.*(no such host|cannot be looked up)/);
});

test("a host that says nothing", async () => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  const said = await whyNotOpened(`127.0.0.1:${port}`);
  expect(said).toContain(`PostgreSQL, 127.0.0.1:${port}/farthing`);
  expect(said).toContain(
    "no answer; see whether its machine hangs, and look at the network and firewalls",
  );
});

test("a row that a rule of the database refuses is told from a database that is away", async () => {
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  const store = await openStore(server.databaseUrl);
  onTestFinished(() => store.close());
  const refused = claimOf();
  const client = new Client({ connectionString: server.databaseUrl });
  client.on("error", () => undefined);
  await client.connect();
  await client.query(
    `alter table settlements add constraint no_such check (id <> '${refused.id}')`,
  );
  await client.end();
  const claim = (one: Claim) => store.claimSettlements([one], 1).catch((error: unknown) => error);
  expect(findWriteRefusal(await claim(refused))).toMatch(/violates check constraint "no_such"/);
  expect(await claim(claimOf())).toMatchObject([{ kind: "created" }]);
  if (!server.isOwn) return;
  await server.halt();
  expect(findWriteRefusal(await claim(claimOf()))).toBeUndefined();
});
