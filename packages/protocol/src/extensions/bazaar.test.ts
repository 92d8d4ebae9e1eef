/** Templates of routes, as catalogues accept them. */
import { isValidRouteTemplate } from "@x402/extensions/bazaar";
import { expect, test } from "vitest";
import { isRouteTemplate } from "./bazaar.ts";

test.each(["/users/:id", "/v1/reports/:report-id/pages/:n", "/a~b/c.json/%C3%A9"])(
  "%s is one, also for the stock extension",
  (template) => {
    expect([isRouteTemplate(template), isValidRouteTemplate(template)]).toEqual([true, true]);
  },
);

test.each([
  undefined,
  7,
  "",
  "/",
  "users/:id",
  "//other.example/users",
  "/https://other.example",
  "/https:%2F%2Fother.example",
  "/users/../admin",
  "/users/%2e%2E/admin",
  "/users/%252e%252e/admin",
  "/users?id=:id",
  "/users/<b>",
  `/${"a".repeat(2_048)}`,
])("%j is none", (template) => {
  expect(isRouteTemplate(template)).toBe(false);
});
