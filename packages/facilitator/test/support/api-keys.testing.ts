/** API keys of accounts whose wallets do not sign in. */
import { systemClock, type Clock } from "@farthing/engine/base";
import type { Address } from "@farthing/protocol";
import { createApiKey } from "../../src/features/api-keys/key-text.ts";
import { openStore } from "../../src/features/open-store.ts";

/** Creates a key of an account in a service's database, for devnet unless told otherwise, and returns its text. */
export async function keyIn(
  databaseUrl: string,
  account: Address,
  { mode = "test", clock = systemClock }: { mode?: "test" | "live"; clock?: Clock } = {},
): Promise<string> {
  const store = await openStore(databaseUrl);
  try {
    return (await createApiKey(store, clock, { account, mode, label: "lab" })).text;
  } finally {
    await store.close();
  }
}
