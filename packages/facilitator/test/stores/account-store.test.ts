/** The suites of accounts and their ledger, on both databases. */
import { describe } from "vitest";
import { accountSuite } from "./account-store.suite.ts";
import { apiCallsSuite } from "./api-calls.suite.ts";
import { channelsSuite } from "./channels.suite.ts";
import { claimDenialsSuite } from "./claim-denials.suite.ts";
import { ledgerPropertiesSuite } from "./ledger-properties.suite.ts";
import { feeSuite } from "./fee.suite.ts";
import { keylessSuite } from "./keyless.suite.ts";
import { revertedGasSuite } from "./reverted-gas.suite.ts";
import { ledgerSuite } from "./ledger.suite.ts";
import { listingsSuite } from "./listings.suite.ts";
import { purchasesSuite } from "./purchases.suite.ts";
import { recoveredSuite } from "./recovered.suite.ts";
import { membersSuite } from "./members.suite.ts";
import { bothEngines } from "./store-benches.testing.ts";
import { webhooksSuite } from "./webhooks.suite.ts";

describe.each(bothEngines())("%s", (_, start) => {
  describe("credits", () => ledgerSuite(start));
  describe("credits, whatever happens at once", () => ledgerPropertiesSuite(start));
  describe("people", () => accountSuite(start));
  describe("members", () => membersSuite(start));
  describe("purchases and history", () => purchasesSuite(start));
  describe("webhooks", () => webhooksSuite(start));
  describe("channels", () => channelsSuite(start));
  describe("the fee", () => feeSuite(start));
  describe("callers without a key", () => keylessSuite(start));
  describe("claims that are denied", () => claimDenialsSuite(start));
  describe("the request log", () => apiCallsSuite(start));
  describe("reverted gas", () => revertedGasSuite(start));
  describe("what was lost", () => recoveredSuite(start));
  describe("the market", () => listingsSuite(start));
});
