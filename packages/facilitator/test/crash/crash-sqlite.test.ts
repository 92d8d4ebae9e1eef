/** `kill -9` at every step; the next process starts on the same file. */
import { crashSuite } from "./crash.suite.ts";
import { rehearse } from "./crash-rehearsal.testing.ts";
import { newDatabaseUrl } from "../support/facilitator.testing.ts";

const bench = { createDatabase: async () => newDatabaseUrl(), isShared: false };

crashSuite(bench, await rehearse(bench));
