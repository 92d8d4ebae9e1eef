import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseWireAddress } from "../networks/address.ts";
import { wireRequirementsV1, wireRequirementsV2 } from "./arbitraries.testing.ts";
import { apothem, xdc } from "../networks/networks.ts";
import {
  parseRequirements,
  toRequirementsV1,
  toRequirementsV2,
  toWireRequirements,
  type Requirements,
} from "./requirements.ts";
import {
  asJson,
  challengeBody,
  json,
  listIn,
  objectIn,
  refusalOf,
  requestV1,
  requestV2,
  valueOf,
  vectorPayee,
} from "./wire-examples.testing.ts";

const v1 = objectIn(json(requestV1), "paymentRequirements");
const v2 = objectIn(json(requestV2), "paymentRequirements");
const common = { network: xdc, asset: xdc.usdc, amount: 1000n, payTo: vectorPayee } as const;
const domain = { domainName: "USDC", domainVersion: "2" };

describe("captured entries", () => {
  test("version 1", () => {
    expect(valueOf(parseRequirements(v1))).toEqual({
      version: 1,
      networkName: "xdc",
      ...common,
      ...domain,
      maxTimeoutSeconds: 60,
      resource: "https://seller.example/r",
      description: "d",
      mimeType: "application/json",
    });
    const token = { decimals: 6, primaryType: "TransferWithAuthorization" };
    expect(JSON.stringify(toRequirementsV1(valueOf(parseRequirements(v1))))).toBe(
      JSON.stringify({ ...v1, extra: { ...objectIn(v1, "extra"), ...token } }),
    );
  });

  test("version 2", () => {
    const expected = { version: 2, networkName: "eip155:50", ...common, ...domain };
    expect(valueOf(parseRequirements(v2))).toEqual({ ...expected, maxTimeoutSeconds: 300 });
  });

  test("both entries of a dual body, told apart", () => {
    const entries = listIn(json(challengeBody), "accepts");
    const parsed = entries.map((entry) => valueOf(parseRequirements(entry)));
    expect(parsed.map(({ version, amount }) => [version, amount])).toEqual([
      [1, 1000n],
      [2, 1000n],
    ]);
  });
});

describe("shapes", () => {
  test("the network's name decides when both amounts are there", () => {
    const both = { maxAmountRequired: "7", amount: "8" };
    expect(valueOf(parseRequirements({ ...v1, ...both })).amount).toBe(7n);
    expect(valueOf(parseRequirements({ ...v2, ...both })).amount).toBe(8n);
  });

  test("an amount of the other version does not count", () => {
    const { maxAmountRequired, ...rest } = v1;
    const refused = refusalOf(parseRequirements({ ...rest, amount: maxAmountRequired }));
    expect(refused.code).toBe("invalid_payment_requirements");
    for (const amount of [undefined, null, "1"]) {
      const both = { ...rest, amount, maxAmountRequired: amount === "1" ? "x" : undefined };
      expect(refusalOf(parseRequirements(both)).message).toContain("maxAmountRequired");
    }
  });

  test("an amount of one version beside a network's name of the other is told apart", () => {
    const refused = refusalOf(parseRequirements({ ...v1, network: "eip155:50" }));
    expect(refused).toEqual({
      code: "invalid_payment_requirements",
      message:
        "an entry with maxAmountRequired is of version 1. Version 1 of x402 calls this network xdc, not eip155:50; send that name.",
    });
    expect(refusalOf(parseRequirements({ ...v2, network: "xdc" })).message).toMatch(
      /amount is of version 2\. .* eip155:50, not xdc/,
    );
    // Null counts as absent.
    expect(parseRequirements({ ...v1, amount: null }).ok).toBe(true);
  });

  test("the alias of Apothem is understood and repeated, its label is written elsewhere", () => {
    const parsed = valueOf(parseRequirements({ ...v1, network: "xdc-testnet" }));
    expect(parsed.network).toBe(apothem);
    expect(toRequirementsV1(parsed).network).toBe("xdc-testnet");
    expect(toRequirementsV2(parsed).network).toBe("eip155:51");
    expect(toRequirementsV1({ ...parsed, version: 2, networkName: "eip155:51" }).network).toBe(
      "xdc-apothem",
    );
  });

  test.each([null, undefined, {}, { name: null, version: null, paymentFlow: null }])(
    "extra may be %o",
    (extra) => {
      for (const entry of [v1, v2]) {
        const parsed = valueOf(parseRequirements({ ...entry, extra }));
        expect(parsed.domainName).toBeUndefined();
        expect(toWireRequirements(parsed).extra).toMatchObject({ name: "USDC", version: "2" });
      }
    },
  );

  test("payment flow is kept", () => {
    const extra = { name: "USDC", version: "2", paymentFlow: "upfront" };
    const parsed = valueOf(parseRequirements({ ...v2, extra }));
    expect(parsed.paymentFlow).toBe("upfront");
    expect(toRequirementsV2(parsed).extra.paymentFlow).toBe("upfront");
  });

  test.each([
    [60, 60],
    [60.9, 60],
    [0.5, 1],
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  ])("maxTimeoutSeconds %d is %d whole seconds", (sent, read) => {
    const parsed = valueOf(parseRequirements({ ...v2, maxTimeoutSeconds: sent }));
    expect(parsed.maxTimeoutSeconds).toBe(read);
  });
});

const codeOf = (change: object) => refusalOf(parseRequirements({ ...v2, ...change })).code;

describe("refused, with the member's name", () => {
  const infinite = json('{"seconds":1e999}')["seconds"];
  const bad: [string, unknown[]][] = [
    ["scheme", [undefined, null, 1]],
    ["network", [undefined, null, 50]],
    ["amount", [undefined, null, 1000, "0", "000", "0.01", "-1", "1e3", "", "9".repeat(78)]],
    ["asset", [undefined, null, "USDC", `xdc${xdc.usdc.slice(2)}`]],
    ["payTo", [undefined, "", `0x${"0".repeat(40)}`, `xdc${vectorPayee.slice(2)}`, [vectorPayee]]],
    ["maxTimeoutSeconds", [undefined, null, "60", 0, -1, infinite, Number.NaN, 2 ** 53]],
    ["extra", ["", 1, []]],
  ];
  test.each(bad.flatMap(([key, values]) => values.map((value) => [key, value] as const)))(
    "%s: %o",
    (key, value) => {
      const refused = refusalOf(parseRequirements({ ...v2, [key]: value }));
      expect(refused.code).toBe("invalid_payment_requirements");
      expect(refused.message).toContain(key);
    },
  );

  test.each(["name", "version", "paymentFlow"])("extra.%s must be text", (key) => {
    const refused = refusalOf(parseRequirements({ ...v2, extra: { [key]: 2 } }));
    expect(refused.code).toBe("invalid_payment_requirements");
    expect(refused.message).toContain(`extra.${key}`);
  });

  test("another scheme, network or transfer method has its own code", () => {
    expect(codeOf({ scheme: "upto" })).toBe("unsupported_scheme");
    expect(codeOf({ network: "eip155:8453" })).toBe("unsupported_network");
    expect(codeOf({ network: "base" })).toBe("unsupported_network");
    expect(codeOf({ extra: { assetTransferMethod: "permit2" } })).toBe(
      "unsupported_transfer_method",
    );
    expect(codeOf({ extra: { assetTransferMethod: 1 } })).toBe("unsupported_transfer_method");
  });

  test.each([[null], [undefined], [[]], ["text"], [1]])("no object: %o", (input) => {
    expect(refusalOf(parseRequirements(input)).code).toBe("invalid_payment_requirements");
  });
});

/** What an entry means, without how it was spelled. */
function meaning({ version: _version, networkName: _name, ...rest }: Requirements) {
  return {
    ...rest,
    domainName: rest.domainName ?? "USDC",
    domainVersion: rest.domainVersion ?? "2",
  };
}

describe("what is read and written again means the same", () => {
  test("version 1", () => {
    fc.assert(
      fc.property(wireRequirementsV1, (wire) => {
        const parsed = valueOf(parseRequirements(asJson(wire)));
        expect(parsed.version).toBe(1);
        expect(parsed.amount.toString()).toBe(wire.maxAmountRequired);
        const written = toWireRequirements(parsed);
        expect(written.network).toBe(wire.network);
        expect(written.payTo).toBe(parseWireAddress(wire.payTo));
        expect(written.asset).toBe(parseWireAddress(wire.asset));
        expect(written).not.toHaveProperty("outputSchema");
        const again = valueOf(parseRequirements(asJson(written)));
        const text = { resource: "", description: "", mimeType: "" };
        expect(meaning(again)).toEqual(meaning({ ...text, ...parsed }));
      }),
    );
  });

  test("version 2", () => {
    fc.assert(
      fc.property(wireRequirementsV2, (wire) => {
        const parsed = valueOf(parseRequirements(asJson(wire)));
        expect(parsed.version).toBe(2);
        expect(parsed.amount.toString()).toBe(wire.amount);
        const written = toWireRequirements(parsed);
        expect(written.network).toBe(wire.network);
        const again = valueOf(parseRequirements(asJson(written)));
        expect(meaning(again)).toEqual(meaning(parsed));
      }),
    );
  });

  test("from one version to the other and back", () => {
    fc.assert(
      fc.property(wireRequirementsV2, (wire) => {
        const parsed = valueOf(parseRequirements(asJson(wire)));
        const first = valueOf(parseRequirements(toWireRequirements(parsed, 1)));
        const { paymentFlow: _flow, ...rest } = meaning(parsed);
        expect(meaning(first)).toMatchObject(rest);
        const second = valueOf(parseRequirements(toWireRequirements(first, 2)));
        expect(meaning(second)).toEqual(rest);
      }),
    );
  });
});
