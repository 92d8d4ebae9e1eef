/** The suites of accounts and their ledger, on both databases. */
import { afterAll, beforeAll, describe } from "vitest";
import { accountSuite } from "./account-store.suite.ts";
import { ledgerPropertiesSuite } from "./ledger-properties.suite.ts";
import { ledgerSuite } from "./ledger.suite.ts";
import { listingsSuite } from "./listings.suite.ts";
import { startPostgres, type TestPostgres } from "./postgres.testing.ts";
import { purchasesSuite } from "./purchases.suite.ts";
import { postgresStarter, startSqlite } from "./store-benches.testing.ts";
import { webhooksSuite } from "./webhooks.suite.ts";

let server: TestPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => {
  await server?.stop();
});

describe.each([
  { name: "SQLite", start: startSqlite },
  { name: "PostgreSQL", start: postgresStarter(() => server) },
])("$name", ({ start }) => {
  describe("credits", () => ledgerSuite(start));
  describe("credits, whatever happens at once", () => ledgerPropertiesSuite(start));
  describe("people", () => accountSuite(start));
  describe("purchases and history", () => purchasesSuite(start));
  describe("webhooks", () => webhooksSuite(start));
  describe("the market", () => listingsSuite(start));
});
