/** What a challenge says of a pass: the same in both versions, and nothing for odd values. */
import { expect, test } from "vitest";
import { xdc } from "../networks/networks.ts";
import { isPassToken, parsePassTerms } from "./pass.ts";
import { parseRequirements, toRequirementsV1, toRequirementsV2 } from "./requirements.ts";

const terms = { uses: 100, validForSeconds: 2_592_000 };
const sold = {
  version: 2,
  network: xdc,
  networkName: xdc.id,
  asset: xdc.usdc,
  amount: 1_000_000n,
  payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
  maxTimeoutSeconds: 60,
} as const;

test("entries of both versions say what one payment buys, and parse as before", () => {
  for (const write of [toRequirementsV1, toRequirementsV2]) {
    const entry = write({ ...sold, pass: terms });
    expect(parsePassTerms(entry)).toEqual(terms);
    expect(parseRequirements(entry)).toMatchObject({ ok: true, value: { amount: 1_000_000n } });
    expect(write(sold).extra).not.toHaveProperty("pass");
  }
});

test.each([
  null,
  7,
  {},
  { uses: 0, validForSeconds: 1 },
  { uses: 1.5, validForSeconds: 1 },
  { uses: 1 },
])("%j is no pass", (pass) => {
  expect(parsePassTerms({ extra: { pass } })).toBeUndefined();
  expect(parsePassTerms(pass)).toBeUndefined();
});

test("a token is visible ASCII of some length", () => {
  expect(isPassToken("a".repeat(97))).toBe(true);
  for (const odd of [
    "short",
    "a".repeat(257),
    `${"a".repeat(20)}\n`,
    `${"a".repeat(20)} `,
    7,
    null,
  ]) {
    expect(isPassToken(odd)).toBe(false);
  }
});
