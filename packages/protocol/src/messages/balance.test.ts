/** What a challenge says of a balance: the same in both versions, and nothing for odd values. */
import { expect, test } from "vitest";
import { parseBalanceTerms } from "./balance.ts";
import { xdc } from "../networks/networks.ts";
import { parseRequirements, toRequirementsV1, toRequirementsV2 } from "./requirements.ts";

const sold = {
  version: 2,
  network: xdc,
  networkName: xdc.id,
  asset: xdc.usdc,
  amount: 5_000_000n,
  payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
  maxTimeoutSeconds: 60,
} as const;

test("entries of both versions say what a request costs at most, and parse as before", () => {
  for (const write of [toRequirementsV1, toRequirementsV2]) {
    const entry: unknown = JSON.parse(
      JSON.stringify(write({ ...sold, balance: { reserve: 50_000n } })),
    );
    expect(parseBalanceTerms(entry)).toEqual({ reserve: 50_000n });
    expect(parseRequirements(entry)).toMatchObject({ ok: true, value: { amount: 5_000_000n } });
    expect(write(sold).extra).not.toHaveProperty("balance");
  }
});

test.each([null, 7, {}, { reserve: 5 }, { reserve: "0" }, { reserve: "-1" }, { reserve: "0.05" }])(
  "%j is no balance",
  (balance) => {
    expect(parseBalanceTerms({ extra: { balance } })).toBeUndefined();
    expect(parseBalanceTerms(balance)).toBeUndefined();
  },
);
