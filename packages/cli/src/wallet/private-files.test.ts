/** What the command line writes for a buyer is the buyer's alone, whatever the umask says. */
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSeller } from "@farthing/buyer/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { farthing } from "../command/farthing-bin.testing.ts";

let home = "";
let umask = 0;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), "farthing-private-"));
  // Children take it over.
  umask = process.umask(0o022);
});
afterAll(() => {
  process.umask(umask);
  rmSync(home, { recursive: true });
});

test("keystores, settings and the ledger: files 0600, folders 0700", async () => {
  await using seller = await startSeller();
  const environment = { XDG_CONFIG_HOME: home, FARTHING_WALLET_PASSWORD: "a long password" };
  for (const args of [
    ["wallet", "create", "one"],
    ["ledger", "limits", "set", "--per-day", "1"],
    ["pay", seller.url],
  ]) {
    expect((await farthing(args, { environment })).code).toBe(0);
  }
  const folder = join(home, "farthing");
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
    const { mode } = statSync(join(entry.parentPath, entry.name));
    return [entry.name, (mode & 0o777).toString(8), entry.isDirectory()] as const;
  });
  expect(found.map(([name]) => name)).toEqual(
    expect.arrayContaining(["config.json", "ledger.jsonl", "ledger.jsonl.lock", "one.json"]),
  );
  for (const [name, rights, isFolder] of found) {
    expect([name, rights]).toEqual([name, isFolder ? "700" : "600"]);
  }
  expect((statSync(folder).mode & 0o777).toString(8)).toBe("700");
});
