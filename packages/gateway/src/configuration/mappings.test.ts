/** Every setting that is a mapping says so where a file has another kind of value. */
import type { TSchema } from "typebox";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { gatewaySchema } from "./configuration-schema.ts";
import { gatewayConfig } from "./gateway-file.testing.ts";
import { readSettings, type Problem, type Schema } from "./read-settings.ts";

/** Every mapping among the settings, however deep, with its name. */
function mappingsIn(schema: Schema, name = ""): (readonly [string, Schema])[] {
  const { properties = {}, patternProperties = {}, items, anyOf = [] } = schema;
  const inner = [
    ...Object.entries({ ...properties, ...patternProperties }).map(
      ([key, one]) => [`${name}.${key}`, one] as const,
    ),
    ...(items ? [[`${name}[]`, items] as const] : []),
    ...anyOf.map((one) => [name, one] as const),
  ];
  const here = schema.type === "object" && name !== "" ? [[name, schema] as const] : [];
  return [...here, ...inner.flatMap(([key, one]) => mappingsIn(one, key))];
}

test.each(mappingsIn(gatewaySchema))(
  "another kind of value for %s is told the members, and an example that can be copied",
  (_name, schema) => {
    const found: Problem[] = [];
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a part of the TypeBox schema
    readSettings(schema as TSchema, 7, found);
    const [{ message } = { message: "" }] = found;
    for (const member of Object.keys(schema.properties ?? {})) expect(message).toContain(member);
    expect(message).toContain("a mapping");
    const example: unknown = parse(message.slice(message.indexOf("Example: ") + 9));
    const wrong: Problem[] = [];
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
    readSettings(schema as TSchema, example, wrong);
    expect(wrong).toEqual([]);
  },
);

test("an address for listen is told http and metrics", () => {
  expect(() => gatewayConfig({ listen: "127.0.0.1:8402" })).toThrow(
    /listen is "127.0.0.1:8402", but must be: .*members http, metrics.*\{ http: "127.0.0.1:8402" \}/,
  );
});
