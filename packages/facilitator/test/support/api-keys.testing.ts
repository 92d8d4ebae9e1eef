/** API keys of accounts that no test has to sign in for. */
import { systemClock } from "@farthing/engine/base";
import type { Address } from "@farthing/protocol";
import { createApiKey } from "../../src/features/api-keys/key-text.ts";
import { openStore } from "../../src/features/open-store.ts";

/** Creates a key of an account in a service's database, and returns its text. */
export async function keyIn(
  databaseUrl: string,
  account: Address,
  mode: "test" | "live" = "test",
): Promise<string> {
  const store = await openStore(databaseUrl);
  try {
    return (await createApiKey(store, systemClock, { account, mode, label: "shop" })).text;
  } finally {
    await store.close();
  }
}
