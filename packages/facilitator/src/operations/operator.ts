/** What the operator's commands need, without the service; it loads in half the time. */
export { createApiKey } from "../features/api-keys/key-text.ts";
export { systemClock } from "@farthing/engine/base";
export { Fault } from "@farthing/engine/base";
export { readDatabaseUrl } from "../config/config.ts";
export { sqlitePathOf } from "@farthing/engine/storage";
export { openStore } from "../features/open-store.ts";
