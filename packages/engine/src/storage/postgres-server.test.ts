/** The PostgreSQL of the tests itself: it must not outlive them. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Client } from "pg";
import { expect, test, vi } from "vitest";

const program = `
  import { startPostgres } from "${new URL("./postgres.testing.ts", import.meta.url).href}";
  const { databaseUrl } = await startPostgres();
  console.log(databaseUrl);
  setInterval(() => {}, 1_000);
`;

test("killed tests leave no server and no file", async ({ onTestFinished }) => {
  const temporary = mkdtempSync(join(tmpdir(), "farthing-postgres-test-"));
  // Not only for root: the server runs as another user then.
  chmodSync(temporary, 0o711);
  const conditions = "--conditions=@farthing/source";
  const tests = spawn(process.execPath, [conditions, "--input-type=module", "-e", program], {
    env: { ...process.env, TMPDIR: temporary, DATABASE_URL_TEST: "" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => {
    tests.kill("SIGKILL");
    rmSync(temporary, { recursive: true, force: true });
  });
  const [databaseUrl] = await once(createInterface({ input: tests.stdout }), "line");
  const client = new Client({ connectionString: String(databaseUrl) });
  client.on("error", () => {});
  await client.connect();
  const cut = new Promise<void>((resolve) => client.once("end", () => resolve()));
  expect(readdirSync(temporary)).toHaveLength(1);

  tests.kill("SIGKILL");

  await cut;
  await vi.waitFor(() => expect(readdirSync(temporary)).toEqual([]), { timeout: 60_000 });
});
