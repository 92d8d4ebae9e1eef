/**
 * What the operator's commands work with: the database, without the service around it. It loads in
 * half the time of all the rest.
 */
export { createApiKey } from "../features/api-keys/key-text.ts";
export { systemClock } from "@farthing/engine/base";
export { Fault } from "@farthing/engine/base";
export { readDatabaseUrl } from "../config/config.ts";
export { openStore } from "../features/open-store.ts";
