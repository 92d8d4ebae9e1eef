/** Descriptions as schema libraries write them: zod of three versions, and TypeBox. */
import { createRequire } from "node:module";
import { decodeHeader, headerNames } from "@farthing/protocol";
import { validateDiscoveryExtension, type DiscoveryExtension } from "@x402/extensions/bazaar";
import { Type } from "typebox";
import { expect, test } from "vitest";
import * as zod3 from "zod/v3";
import * as zodWithoutShapes from "zod/v4";
import { ConfigurationError, createSeller, type Description } from "../index.ts";

// The current zod comes with ox; the stock packages of x402 hold ours at 3.25.
const zod: typeof zodWithoutShapes = createRequire(createRequire(import.meta.url).resolve("ox"))(
  "zod",
);

const facilitator = { url: "https://facilitator.example" };
const payTo = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C";

function sell(describe: Description | (() => Description | undefined)) {
  return createSeller({ facilitator, payTo, price: "0.01", describe });
}

async function declaredBy(describe: Parameters<typeof sell>[0], method = "GET") {
  const request = new Request("https://shop.example/report", { method });
  const { response } = await sell(describe).charge(request, () => new Response());
  const challenge = Object(decodeHeader(response.headers.get(headerNames.paymentRequired))?.value);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the stock functions' own type
  return challenge.extensions.bazaar as DiscoveryExtension | undefined;
}

const city = { type: "string", minLength: 2 };
const days = { type: "integer", minimum: 1, maximum: 7 };

test.each([
  [
    "zod",
    {
      input: zod.object({ city: zod.string().min(2), days: zod.int().min(1).max(7).default(1) }),
      output: zod.object({ degrees: zod.number().default(0) }),
    },
    { additionalProperties: false },
  ],
  [
    "TypeBox",
    {
      input: Type.Object({
        city: Type.String({ minLength: 2 }),
        days: Type.Optional(Type.Integer({ minimum: 1, maximum: 7 })),
      }),
      output: Type.Object({ degrees: Type.Number() }),
    },
    {},
  ],
])("objects of %s are declared as JSON Schema", async (_library, describe, strict) => {
  for (const [method, place] of [
    ["GET", "queryParams"],
    ["POST", "body"],
  ] as const) {
    const declared = await declaredBy(describe, method);
    expect(declared?.schema.properties).toMatchObject({
      input: { properties: { [place]: { type: "object", properties: { city, days } } } },
      output: {
        properties: {
          example: {
            properties: { degrees: { type: "number" } },
            required: ["degrees"],
            ...strict,
          },
        },
      },
    });
    // What has a default need not be sent.
    const { input } = Object(declared?.schema.properties);
    expect(input.properties[place].required).toEqual(["city"]);
    expect(declared && validateDiscoveryExtension(declared)).toEqual({ valid: true });
    expect(JSON.stringify(declared)).not.toContain("~standard");
  }
});

test("JSON Schema that an older zod has created is declared", async () => {
  const input = zodWithoutShapes.toJSONSchema(
    zodWithoutShapes.object({ a: zodWithoutShapes.int() }),
  );
  const declared = await declaredBy({ input });
  expect(declared?.schema.properties.input).toMatchObject({
    properties: { queryParams: { properties: { a: { type: "integer" } } } },
  });
});

test.each([
  [
    "zod 3.25",
    { input: zodWithoutShapes.object({ a: zodWithoutShapes.string() }) },
    "describe.input",
  ],
  ["zod 3", { output: zod3.object({ a: zod3.string() }) }, "describe.output"],
  ["zod, of a date", { input: zod.object({ day: zod.date() }) }, "describe.input"],
  ["a function", { input: () => ({}) }, "describe.input"],
])("what cannot be declared stops the start: %s", (_what, describe, field) => {
  expect(() => sell(describe)).toThrow(ConfigurationError);
  expect(() => sell(describe)).toThrow(field);
});

test("a function describes each request", async () => {
  const input = Type.Object({ city: Type.String() });
  expect(await declaredBy(() => ({ input }))).toMatchObject({ info: { input: { type: "http" } } });
  expect(await declaredBy(() => undefined)).toBeUndefined();
});
