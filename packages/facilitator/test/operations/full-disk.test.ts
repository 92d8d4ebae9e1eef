/** The real `farthing serve` on full disks: the disk of its log, and that of its database. */
import { execFileSync, spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Devnet } from "@farthing/devnet";
import { programFile } from "@farthing/lab/programs";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  bodyOn,
  environmentOn,
  readResponse,
  startChain,
  walletAt,
} from "../support/facilitator.testing.ts";

const bin = programFile(new URL("../../../cli/bin/farthing.js", import.meta.url));

let devnet: Devnet;
let child: ChildProcess;
let url: string;
beforeAll(async () => {
  devnet = await startChain({ buyers: 3 });
  child = spawn(process.execPath, [bin, "serve", "--self-built"], {
    // Every write to this device fails as on a full disk.
    stdio: ["ignore", openSync("/dev/full", "w"), "pipe"],
    env: { PATH: process.env["PATH"], ...environmentOn(devnet) },
  });
  url = await listeningUrl();
});
afterAll(async () => {
  child?.kill("SIGKILL");
  await devnet?.stop();
});

async function listeningUrl(): Promise<string> {
  for await (const line of createInterface({ input: child.stderr ?? process.stdin })) {
    const found = /^Farthing listens on (\S+)$/.exec(line)?.[1];
    if (found) return found;
  }
  throw new Error("farthing serve ended before it listened");
}

async function settle(buyer: number) {
  const body = JSON.stringify(bodyOn(devnet, { payer: walletAt(devnet.buyers, buyer) }));
  const headers = { "content-type": "application/json" };
  return readResponse(await fetch(`${url}/settle`, { method: "POST", headers, body }));
}

async function readyOf() {
  const { status, body } = await readResponse(await fetch(`${url}/ready`));
  return { status, text: JSON.stringify(body) };
}

test("a payment is settled while no line of the log can be written", async () => {
  expect((await settle(0)).body).toMatchObject({ success: true });
  expect(child.exitCode).toBeNull();
});

const hasLimits = spawnSync("prlimit", ["--version"]).status === 0;

/** No file of the process can be written, as where its disk has no room. */
function limitFiles(bytes: string): void {
  execFileSync("prlimit", ["--pid", String(child.pid), `--fsize=${bytes}:`]);
}

test.skipIf(!hasLimits)(
  "SQLite without room: /ready is 503 and names the disk, and payments are settled once there is room",
  async () => {
    limitFiles("0");
    await expect
      .poll(readyOf, { interval: 250 })
      .toEqual({ status: 503, text: expect.stringMatching(/takes no writes: its disk/) });
    expect((await settle(1)).status).toBe(503);
    limitFiles("unlimited");
    await expect.poll(async () => (await readyOf()).status).toBe(200);
    expect((await settle(1)).body).toMatchObject({ success: true });
  },
);

test("it ends as usual", async () => {
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
});
