/** Outputs on a full disk: a service outlives its log, and a command that prints has failed. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { createInterface } from "node:readline";
import { testKey } from "@farthing/buyer/testing";
import { programFile } from "@farthing/lab/programs";
import { expect, test } from "vitest";

const bin = programFile(new URL("../bin/farthing.js", import.meta.url));

/** Every write to this device fails as on a full disk. */
const fullDisk = "/dev/full";

function start(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [bin, ...args], {
    stdio: ["ignore", openSync(fullDisk, "w"), "pipe"],
    env: {
      PATH: process.env["PATH"],
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      ...environment,
    },
  });
  const ended = once(child, "exit").then(([code]) => code as unknown);
  return { child, ended };
}

test("the facilitator works on without its log", async () => {
  const { child, ended } = start(["serve", "--self-built"], {
    DATABASE_URL: "sqlite::memory:",
    FARTHING_PORT: "0",
    FARTHING_RPC_51: "http://127.0.0.1:9",
    FARTHING_RELAYER_KEYS: testKey,
  });
  try {
    let url: string | undefined;
    for await (const line of createInterface({ input: child.stderr ?? process.stdin })) {
      url = /^Starting on (\S+):/.exec(line)?.[1];
      if (url) break;
    }
    const health = await fetch(`${url}/health`);
    expect(health.status).toBe(200);
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
  } finally {
    child.kill("SIGKILL");
  }
});

test("a command that prints ends with an error", async () => {
  expect(await start(["completion", "bash"]).ended).not.toBe(0);
});
