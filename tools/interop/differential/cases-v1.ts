/** The cases of version 1. */
import { bent, isNull, missing, otherAddress, shared, type Case } from "./cases.ts";

/** All of them. */
export const casesV1: readonly Case[] = [
  ...shared(1),
  ...missing(1, ["payment.scheme", "payment.network", "terms.resource", "terms.mimeType"]),
  ...isNull(1, ["payment.payload", "terms.extra"]),
  bent(1, "the terms name xdc", { wire: { "terms.network": "xdc" } }),
  bent(1, "both name xdc", { wire: { "terms.network": "xdc", "payment.network": "xdc" } }),
  bent(1, "both name a label nobody serves", {
    wire: { "terms.network": "base", "payment.network": "base" },
  }),
  bent(1, "both name the network of version 2", {
    wire: { "terms.network": "eip155:51", "payment.network": "eip155:51" },
  }),
  bent(1, "the terms have amount instead", {
    wire: { "terms.maxAmountRequired": undefined, "terms.amount": "10000" },
  }),
  bent(1, "the terms name another asset", { wire: { "terms.asset": otherAddress } }),
  bent(1, "both name scheme upto", { wire: { "terms.scheme": "upto", "payment.scheme": "upto" } }),
  bent(1, "outer version 2, inner version 1", { wire: { x402Version: 2 } }),
  bent(1, "unknown keys", { wire: { more: 1, "payment.more": {}, "terms.more": null } }),
  bent(1, "outputSchema is null", { wire: { "terms.outputSchema": null } }),
];
