/** The settings of channels: how they are read, and where an operator and a buyer see them. */
import { expect, test } from "vitest";
import { findWarnings, listRules } from "../inspection/check.ts";
import { explainRequest } from "../inspection/explain.ts";
import { openApiDocument } from "../openapi/openapi-document.ts";
import { gatewayConfig, type Settings } from "./gateway-file.testing.ts";

const key = `0x${"33".repeat(32)}`;
const authorizer = "0x5CbDd86a2FA8Dc4bDdd8a8f69dBa48572EeC07FB";
const costFrom = { usage: { inputPerMillion: "0.15", outputPerMillion: "0.60" } };
const own = { authorizerKey: key };

const read = (route: Settings, file: Settings = {}) =>
  gatewayConfig({
    channels: own,
    ...file,
    routes: [{ match: "GET /a", upstream: "api", price: "0.01", ...route }],
  });

test("a route is sold by channels with the defaults, or with what it says", () => {
  expect(read({ channel: true }).routes[0]?.channel).toEqual({ only: false });
  expect(read({ channel: false }).routes[0]?.channel).toBeUndefined();
  const channel = { withdrawDelay: "15m", minDeposit: "0.50", only: true, costHeader: "X-Units" };
  expect(read({ channel }).routes[0]?.channel).toEqual({ ...channel, minDeposit: 500_000n });
  const config = read({ channel: true }, { channels: { ...own, maxUnvaulted: "0.25" } });
  expect(config.channels).toEqual({ authorizerKey: key, maxUnvaulted: 250_000n });
});

test.each<[string, Settings, Settings, RegExp]>([
  ["a delay below that of the contract", { channel: { withdrawDelay: "14m" } }, {}, /15m to 30d/],
  ["a delay above it", { channel: { withdrawDelay: "31d" } }, {}, /15m to 30d/],
  ["a deposit that is a number", { channel: { minDeposit: 1 } }, {}, /minDeposit is 1, but/],
  ["an unknown setting", { channel: { delay: "1d" } }, {}, /channel\.delay is no setting/],
  ["a word", { channel: "yes" }, {}, /channel is "yes", but must be: .*Example: true/],
  ["a free route", { channel: true, free: true, price: undefined }, {}, /channel makes no sense/],
  ["a pass", { channel: true, passes: { uses: 2, validFor: "1d" } }, {}, /passes stands beside/],
  [
    "a balance",
    { channel: true, price: undefined, balance: { topUp: "5", reserve: "1" } },
    {},
    /balance stands beside channel/,
  ],
  ["bound payments only", { channel: true }, { requireBinding: true }, /vouchers are not bound/],
  [
    "two costs",
    { channel: { costHeader: "X-Cost" }, costFrom },
    {},
    /costHeader stands beside costFrom/,
  ],
  ["a key that is none", { channel: true }, { channels: { authorizerKey: "0x12" } }, /64 hex/],
  [
    "an embedded facilitator without a key",
    { channel: true },
    { channels: {}, facilitator: "embedded" },
    /needs channels\.authorizerKey/,
  ],
])("%s is refused", (_case, route, file, message) => {
  expect(() => read(route, file)).toThrow(message);
});

test("the check shows which rules have channels, and warns of what an operator may not expect", () => {
  const rules = listRules(read({ channel: { only: true } }));
  expect(rules.map(({ channel }) => channel)).toEqual(["only", undefined]);
  const textsOf = (route: Settings, apiKey?: string) =>
    findWarnings(read(route, { facilitator: { url: "https://facilitator.example", apiKey } }))
      .map(({ text }) => text)
      .filter((text) => /channel/.test(text));
  expect(textsOf({ channel: true })).toEqual([expect.stringContaining("without an apiKey")]);
  expect(textsOf({ channel: true }, "fk_test_1")).toEqual([]);
  expect(textsOf({}, undefined)).toEqual([]);
  const streamed = { channel: { costHeader: "X-Cost" }, stream: "raw" };
  expect(textsOf(streamed, "fk_test_1")).toEqual([expect.stringContaining("whole price")]);
});

test("explain shows how a route is sold by channels, and its entry where the gateway has the key", async () => {
  const channel = { withdrawDelay: "1h", only: true };
  const asked = { method: "GET", target: "/a" };
  expect(await explainRequest(read({ channel }), asked)).toMatchObject({
    status: 402,
    channel: { isOnly: true, withdrawDelay: "1h", authorizer },
    challenge: {
      accepts: [{ scheme: "batch-settlement", amount: "10000", extra: { withdrawDelay: 3_600 } }],
    },
  });
  const elsewhere = await explainRequest(read({ channel }, { channels: {} }), asked);
  expect(elsewhere).toMatchObject({ status: 402, channel: { authorizer: "the facilitator" } });
  // The entry would name an address that nobody was asked for.
  expect(elsewhere).not.toHaveProperty("challenge");
});

test.each<[string, Settings, Settings]>([
  ["its price", { channel: true }, { mode: "fixed", amount: "0.01" }],
  ["up to its price", { channel: true, costFrom }, { mode: "dynamic", min: "0", max: "0.01" }],
])("the OpenAPI document says that a request costs %s", (_case, route, price) => {
  expect(openApiDocument(read(route))).toMatchObject({
    paths: { "/a": { get: { "x-payment-info": { price } } } },
  });
});
