/** What the facilitator keeps: the engine's store, and those of the features around it. */
import type { Address } from "@farthing/protocol";
import type { ApiKey } from "./api-keys/model.ts";
import type { AccountStore } from "./account-store.ts";
import type { EngineStore } from "@farthing/engine/storage";
import type { KeylessVerbs } from "../payments/keyless/store.ts";
import type { ListingVerbs } from "./listings/listing-store.ts";

/** The methods about API keys that need no account's session. */
export interface ApiKeyStore {
  /** Adds a key, and its account when it is new. */
  createApiKey(key: ApiKey): Promise<void>;
  findApiKey(id: string): Promise<ApiKey | undefined>;
  listApiKeys(account?: Address): Promise<ApiKey[]>;
  /** Of this account only, when one is given; false when there is no such key that works. */
  revokeApiKey(id: string, now: number, account?: Address): Promise<boolean>;
  touchApiKey(id: string, now: number): Promise<void>;
}

/** The store. */
export interface Store extends EngineStore, AccountStore, ListingVerbs, KeylessVerbs, ApiKeyStore {}
