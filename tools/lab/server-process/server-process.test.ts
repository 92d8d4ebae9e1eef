/** Child processes of tests and tools: how they start and end, and that none is left behind. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterEach, expect, test } from "vitest";
import { startServerProcess, type ServerProcess } from "./server-process.ts";

const started = new Set<ServerProcess>();
afterEach(async () => {
  await Promise.all([...started].map((one) => one.kill()));
  started.clear();
});

/** Starts a program that is given as text. */
function start(program: string, more: { readonly stopMs?: number } = {}): ServerProcess {
  const running = startServerProcess({
    argv: ["--input-type=module", "--eval", program],
    env: { GREETING: "hello" },
    ...more,
  });
  started.add(running);
  return running;
}

const listens = `
  import { createServer } from "node:http";
  const server = createServer((_, response) => response.end(process.env.GREETING));
  server.listen(0, "127.0.0.1", () =>
    console.error("Farthing listens on http://127.0.0.1:" + server.address().port));
`;

test("a program that listens is asked, and ends when it is told to", async () => {
  const running = start(`${listens} process.on("SIGTERM", () => process.exit(0));`);
  const url = await running.listening;
  expect(await (await fetch(url)).text()).toBe("hello");
  expect([running.url(), running.isTold()]).toEqual([url, false]);
  expect(await running.stop()).toBe("0");
  expect([running.url(), running.isTold()]).toEqual([undefined, true]);
});

test("a program that does not stop in order is killed", async () => {
  const running = start(`${listens} process.on("SIGTERM", () => {});`, { stopMs: 50 });
  await running.listening;
  expect(await running.stop()).toBe("SIGKILL");
});

test("a program that ends before it listens is told with its last lines", async () => {
  const running = start('console.error("no database"); process.exit(3);');
  await expect(running.listening).rejects.toThrow(/\(3\)[^]*no database/);
  expect(await running.ended).toBe("3");
});

test("a program that cannot be started has ended", async () => {
  const running = startServerProcess({ argv: [], env: {}, launcher: ["/no/such/program"] });
  await expect(running.listening).rejects.toThrow("ENOENT");
});

test("when its parent is killed, the program ends", async () => {
  const module = new URL("server-process.ts", import.meta.url).href;
  const parent = spawn(process.execPath, [
    "--input-type=module",
    "--eval",
    `import { startServerProcess } from ${JSON.stringify(module)};
     const argv = ["--input-type=module", "--eval", ${JSON.stringify(listens)}];
     const running = startServerProcess({ argv, env: {} });
     await running.listening;
     console.log(running.pid);`,
  ]);
  const [line] = await once(createInterface({ input: parent.stdout }), "line");
  const pid = Number(line);
  expect(() => process.kill(pid, 0)).not.toThrow();
  parent.kill("SIGKILL");
  await expect
    .poll(() => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    })
    .toBe(false);
});
