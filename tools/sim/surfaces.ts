/** The surfaces of a facilitator as callers use them: a path, and the API key if one is required. */
import { createApiKey, openStore, type Clock } from "@farthing/facilitator";
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
  accounts: { readonly own: Address; readonly foreign: Address },
): Promise<Keys> {
  const store = await openStore(databaseUrl);
  try {
    const create = async (account: Address) => {
      const request = { account, mode: "test", label: "sim" } as const;
      return (await createApiKey(store, clock, request)).text;
    };
    return { own: await create(accounts.own), foreign: await create(accounts.foreign) };
  } finally {
    await store.close();
  }
}
