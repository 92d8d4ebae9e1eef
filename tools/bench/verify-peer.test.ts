/** The race of `/verify` runs against any program that starts a facilitator. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { measureVerify, verifyPeerSection } from "./verify-peer.ts";

test("verifying is measured beside the program that is given", async () => {
  const folder = mkdtempSync(join(tmpdir(), "farthing-bench-"));
  try {
    const program = join(folder, "facilitator");
    const reference = fileURLToPath(new URL("reference-server.ts", import.meta.url));
    // The Rust facilitator's toolchain may be missing; this one takes the same variables.
    const command = [process.execPath, reference, "tuned"].map((part) => `'${part}'`).join(" ");
    writeFileSync(program, `#!/bin/sh\nexec ${command}\n`, { mode: 0o700 });
    const plan = { callers: [2], rounds: 1, warmUpMs: 0, countMs: 300 };
    const figures = await measureVerify(program, plan, () => undefined);
    for (const { racer, perSecond } of figures.windows) {
      expect(perSecond, racer).toBeGreaterThan(0);
    }
    const section = verifyPeerSection(plan, figures);
    expect(section).toMatch(/^\| 2 +\| farthing +\| [\d.,]+ +\| [\d.]+ +\| at least 1/m);
    expect(section).toMatch(/^\| 2 +\| x402-rs +\| [\d.,]+ /m);
    expect(section).toMatch(/^\| 2 +\| least on Node.js +\| [\d.,]+ /m);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
