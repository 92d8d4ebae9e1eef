/** Databases to test the service's stores on, one of each kind. */
import * as engine from "@farthing/engine/testing/store-benches";
import { openStore, type ServiceStore } from "../../src/features/open-store.ts";

export { storeForEach } from "@farthing/engine/testing/store-benches";

export const { startSqlite, postgresStarter, bothEngines } = engine.createBenches(openStore);

/** A store to test. */
export type StoreAt = engine.StoreAt<ServiceStore>;
