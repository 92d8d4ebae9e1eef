/** Holds the reference pages equal to the tables they are made from. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readGatewayConfig } from "@farthing/gateway";
import { expect, test } from "vitest";
import { pages } from "./pages.ts";
import { written } from "./written.ts";

const files = Object.entries(written).flatMap(([folder, list]) =>
  Object.entries(list).map(([name, write]) => [join("docs", folder, name), write] as const),
);

test.each(files)("%s is up to date", (path, write) => {
  const text = readFileSync(join(import.meta.dirname, "../..", path), "utf8");
  expect(text, "run `npm run reference`").toBe(write());
});

test("the gateway's example is a configuration", () => {
  const page = pages["gateway.md"]?.() ?? "";
  const example = /```yaml\n(.*?)```/s.exec(page)?.[1] ?? "";
  const config = readGatewayConfig(example, { X402_API_KEY: "a", ORIGIN_KEY: "b" });
  expect(config.routes.map(({ name }) => name)).toContain("GET /v1/reports/:id");
});
