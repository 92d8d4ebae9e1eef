/** Commands whose reader leaves before the end, as `head` does: they end, and say nothing of it. */
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { served, startSeller, testKey } from "@farthing/buyer/testing";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

const bin = fileURLToPath(new URL("../../bin/farthing.js", import.meta.url));

/** Runs a command into `head -n 2`, and says how both ended. */
async function intoHead(args: readonly string[], environment: Readonly<Record<string, string>>) {
  const pipe = '"$@" | head -n 2; echo "ended with ${PIPESTATUS[0]}"';
  const child = spawn("bash", ["--norc", "-c", pipe, "bash", process.execPath, bin, ...args], {
    env: {
      PATH: process.env["PATH"],
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      FARTHING_RPC_URL: "none",
      XDG_CONFIG_HOME: mkdtempSync(join(tmpdir(), "farthing-home-")),
      ...environment,
    },
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { lines: stdout.trimEnd().split("\n"), stderr };
}

test("doctor", async () => {
  const { lines, stderr } = await intoHead(["doctor"], {
    FARTHING_RPC_51: "http://127.0.0.1:9",
    FARTHING_RELAYER_KEYS: testKey,
  });
  expect([lines[1], stderr]).toEqual(["configuration", ""]);
  expect(lines[2]).toMatch(/^ended with (0|3)$/);
});

test("pay, whose payment stands", async () => {
  // More than a pipe holds.
  const body = `first line\n${"more\n".repeat(200_000)}`;
  await using seller = await startSeller({ paid: [{ ...served(), body }] });
  const { lines, stderr } = await intoHead(["pay", seller.url], { FARTHING_WALLET_KEY: testKey });
  expect(lines).toEqual(["first line", "more", "ended with 1"]);
  expect(stderr).toMatch(/^payment settled: .*\n {2}https:.*\n$/);
  expect(seller.paid).toHaveLength(1);
});

test.each([
  ["completion", "bash"],
  ["pay", "--help"],
  ["gateway", "check", "--schema"],
])("%s %s", async (...args) => {
  const { lines, stderr } = await intoHead(args, {});
  expect([lines.length, lines[2], stderr]).toEqual([3, "ended with 0", ""]);
});
