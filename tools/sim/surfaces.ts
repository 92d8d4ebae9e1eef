/** The surfaces of a facilitator as callers use them: a path, and the API key if one is required. */
import { openStore, type Clock } from "@farthing/facilitator";
import { keyIn } from "@farthing/facilitator/testing/api-keys";
import type { Address } from "@farthing/protocol";

/**
 * The surface that a caller asks. `public` requires the seller's API key and responds before the
 * outcome; `hosted` and `self-built` require none and wait for it.
 */
export type Surface = "self-built" | "hosted" | "public";

/** Keys that were made before the run. */
export interface Keys {
  /** The seller's. */
  readonly own: string;
  /** Of an account that receives no payment. */
  readonly foreign: string;
}

/** What a request to a surface has. */
export interface SurfaceAccess {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Returns what a request to a surface has; `key`: whose API key, where one is required. */
export function accessTo(
  surface: Surface,
  keys: Keys | undefined,
  key: keyof Keys = "own",
): SurfaceAccess {
  if (surface === "self-built") return { path: "", headers: {} };
  if (surface === "hosted") return { path: "/api/facilitator", headers: {} };
  return { path: "", headers: { authorization: `Bearer ${keys?.[key] ?? ""}` } };
}

/** Creates the tables of a new database. */
export async function createTables(databaseUrl: string): Promise<void> {
  const store = await openStore(databaseUrl);
  await store.close();
}

/** Creates the keys, in a database that no facilitator has opened yet. */
export async function createKeys(
  databaseUrl: string,
  clock: Clock,
  { own, foreign }: { readonly own: Address; readonly foreign: Address },
): Promise<Keys> {
  return {
    own: await keyIn(databaseUrl, own, { clock }),
    foreign: await keyIn(databaseUrl, foreign, { clock }),
  };
}
