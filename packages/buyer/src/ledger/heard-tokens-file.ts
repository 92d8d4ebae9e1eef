/**
 * What sellers last said of passes and balances, in a file beside the ledger's. Nothing in it says
 * what was paid or may be paid, so a file that cannot be read counts as empty, and the ledger's own
 * format stays as earlier versions read it. Mode 0600, because it holds tokens.
 */
import { createSerialQueue, isObject, isPassToken, member, parseJson } from "@farthing/protocol";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { holdingLock } from "./file-lock.ts";
import { withHeard } from "./ledger-book.ts";
import type { HeardToken, Ledger } from "./ledger.ts";

/** Of the ledger at a path. */
export function heardTokensFile(
  ledgerPath: string,
): Required<Pick<Ledger, "keepHeard" | "listHeard">> {
  const path = `${ledgerPath}.tokens`;
  const inTurn = createSerialQueue();

  async function keep(heard: HeardToken): Promise<void> {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    // Not the ledger's lock: no payment waits for this.
    await holdingLock(`${path}.lock`, async () => {
      const tokens = withHeard(await read(path), heard);
      const next = `${path}.new`;
      // A leftover file may have another mode, so it is not reused.
      await rm(next, { force: true });
      await writeFile(next, `${JSON.stringify({ tokens })}\n`, { mode: 0o600, flag: "wx" });
      await rename(next, path);
    });
  }

  return {
    keepHeard: (heard) => inTurn(() => keep(heard)),
    listHeard: () => read(path),
  };
}

async function read(path: string): Promise<readonly HeardToken[]> {
  const text = await readFile(path, "utf8").catch(() => "");
  const value = parseJson(text)?.value;
  const tokens = isObject(value) ? member(value, "tokens") : undefined;
  return Array.isArray(tokens) ? tokens.filter(isHeardToken) : [];
}

function isHeardToken(value: unknown): value is HeardToken {
  if (!isObject(value)) return false;
  const { token, url, expiresAtMs = 0, remaining = 0 } = value;
  const isPlace = typeof url === "string" && URL.canParse(url);
  return isPlace && isPassToken(token) && [expiresAtMs, remaining].every(Number.isFinite);
}
