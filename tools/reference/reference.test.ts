/** Holds the reference pages equal to the tables they are made from. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readGatewayConfig } from "@farthing/gateway";
import { expect, test } from "vitest";
import { drawings } from "./drawings.ts";
import { pages } from "./pages.ts";

test.each(Object.entries(pages))("docs/reference/%s is up to date", (name, page) => {
  const text = readFileSync(join(import.meta.dirname, "../../docs/reference", name), "utf8");
  expect(text, "run `npm run reference`").toBe(page());
});

test.each(Object.entries(drawings))("docs/concepts/%s is up to date", (name, drawing) => {
  const text = readFileSync(join(import.meta.dirname, "../../docs/concepts", name), "utf8");
  expect(text, "run `npm run reference`").toBe(drawing());
});

test("the gateway's example is a configuration", () => {
  const page = pages["gateway.md"]?.() ?? "";
  const example = /```yaml\n(.*?)```/s.exec(page)?.[1] ?? "";
  const config = readGatewayConfig(example, { X402_API_KEY: "a", ORIGIN_KEY: "b" });
  expect(config.routes.map(({ name }) => name)).toContain("GET /v1/reports/:id");
});
