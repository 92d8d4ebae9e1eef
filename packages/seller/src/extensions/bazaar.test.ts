/** Declarations, validated and read by the stock extension's own functions. */
import { decodeHeader, headerNames, isObject, member } from "@farthing/protocol";
import {
  validateDiscoveryExtension,
  validateDiscoveryExtensionSpec,
  type DiscoveryExtension,
} from "@x402/extensions/bazaar";
import { describe, expect, test } from "vitest";
import { ConfigurationError, createSeller } from "../index.ts";

const facilitator = { url: "https://facilitator.example" };
const payTo = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C";
const city = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const report = { type: "object", properties: { degrees: { type: "number" } } };
const shown = {
  input: { ...city, examples: [{ city: "Paris" }] },
  output: { ...report, examples: [{ degrees: 20 }] },
};

async function declaredFor(method: string, describe: object): Promise<DiscoveryExtension> {
  const seller = createSeller({ facilitator, payTo, price: "0.01", describe });
  const { response } = await seller.charge(
    new Request("https://shop.example/report", { method }),
    () => new Response(),
  );
  const challenge = decodeHeader(response.headers.get(headerNames.paymentRequired))?.value;
  const extensions = isObject(challenge) ? member(challenge, "extensions") : undefined;
  const bazaar = isObject(extensions) ? member(extensions, "bazaar") : undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the stock functions' own type
  return bazaar as DiscoveryExtension;
}

describe.each([
  ["GET", shown, { type: "http", method: "GET", queryParams: { city: "Paris" } }],
  ["POST", shown, { type: "http", method: "POST", bodyType: "json", body: { city: "Paris" } }],
  ["GET", { input: city }, { type: "http", method: "GET" }],
  ["POST", { input: city, output: report }, { type: "http", method: "POST", bodyType: "json" }],
  ["GET", {}, { type: "http", method: "GET" }],
] as const)("%s of %j", (method, described, input) => {
  test("is declared as the stock extension validates it", async () => {
    const declared = await declaredFor(method, described);
    expect(declared.info.input).toEqual(input);
    expect(validateDiscoveryExtension(declared)).toEqual({ valid: true });
  });
});

test("what is shown of the output", async () => {
  expect((await declaredFor("GET", shown)).info.output).toEqual({
    type: "json",
    example: { degrees: 20 },
  });
});

/** JSON of as many levels. */
const deep = (levels: number): object =>
  levels === 1 ? {} : { properties: { a: deep(levels - 2) } };

test("every part of a request is declared as the stock extension validates it", async () => {
  const text = { type: "object", properties: { a: { type: "string" } }, examples: [{ a: "b" }] };
  const declared = await declaredFor("PUT", {
    input: text,
    queryParams: text,
    pathParams: text,
    headers: text,
    bodyType: "form-data",
    routeTemplate: "/users/:a",
    output: deep(19),
  });
  expect(declared).toMatchObject({
    routeTemplate: "/users/:a",
    info: {
      input: {
        bodyType: "form-data",
        body: { a: "b" },
        queryParams: { a: "b" },
        pathParams: { a: "b" },
        headers: { a: "b" },
      },
    },
  });
  expect(validateDiscoveryExtension(declared)).toEqual({ valid: true });
  expect(validateDiscoveryExtensionSpec(Object(declared))).toEqual({ valid: true });
});

test.each([
  { input: "city" },
  { output: { description: "x".repeat(3_000) } },
  // Readers of the challenge stop at 32 levels.
  { output: deep(21) },
  { bodyType: "image" },
  { routeTemplate: "https://shop.example/users" },
  { routeTemplate: "/users/../admin" },
])("a description such as %j is refused at the start", (described) => {
  const options: object = { facilitator, payTo, price: "0.01", describe: described };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as from JavaScript
  expect(() => createSeller(options as never)).toThrow(ConfigurationError);
});
