/** What an operator is told when PostgreSQL cannot be used: which one, why, and no secret. */
import { createServer, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { messageOf } from "../../src/base.ts";
import { postgresLimits } from "../../src/storage/postgres/open-postgres.ts";
import { openStore } from "./store-benches.testing.ts";

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
  expect(said).toContain("no answer; look at the network and firewalls");
});
