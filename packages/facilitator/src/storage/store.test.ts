/** The store's suite on SQLite, in a real file. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openStore } from "./open-store.ts";
import { storeSuite } from "./store.suite.ts";

describe("SQLite", () => {
  storeSuite(async () => {
    const folder = mkdtempSync(join(tmpdir(), "farthing-store-"));
    return {
      isConcurrent: false,
      open: () => openStore(`sqlite:${join(folder, "farthing.db")}`),
      stop: async () => rmSync(folder, { recursive: true }),
    };
  });

  test("a file in a folder that is not there: the fault says what to check", async () => {
    await expect(openStore("sqlite:/nowhere/at/all/farthing.db")).rejects.toMatchObject({
      code: "storage_unavailable",
      message: expect.stringMatching(/cannot be opened; check its folder and rights/),
    });
  });
});
