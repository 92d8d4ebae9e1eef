/** `kill -9` at every step; the next process starts on the same file. */
import { crashSuite } from "./crash.suite.ts";
import { dryRunScenarios } from "./crash-dry-run.testing.ts";
import { newDatabaseUrl } from "../support/facilitator.testing.ts";

const provider = { createDatabase: async () => newDatabaseUrl(), isShared: false };

crashSuite(provider, await dryRunScenarios(provider));
