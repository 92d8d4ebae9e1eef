/** A command whose output is on a full disk has failed; a service outlives its log, as its own test shows. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { programFile } from "@farthing/lab/programs";
import { expect, test } from "vitest";

const bin = programFile(new URL("../../bin/farthing.js", import.meta.url));

test("a command that prints ends with an error", async () => {
  // Every write to this device fails as on a full disk.
  const child = spawn(process.execPath, [bin, "completion", "bash"], {
    stdio: ["ignore", openSync("/dev/full", "w"), "ignore"],
  });
  const [code] = await once(child, "exit");
  expect(code).not.toBe(0);
});
