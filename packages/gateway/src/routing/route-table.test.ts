/** Which rule a request falls under, and that no spelling of a path falls under a cheaper one. */
import { createServer, IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import express from "express";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalPath } from "./canonical-path.ts";
import {
  gatewayConfig,
  rule,
  upstream,
  type Settings,
} from "../configuration/gateway-file.testing.ts";
import { compileRoutes, type RouteMatch } from "./route-table.ts";

function table(routes: readonly Settings[], more: Settings = {}) {
  const compiled = compileRoutes(gatewayConfig({ routes, ...more }));
  return (method: string, path: string, host?: string) => {
    const match = compiled.match(method, host, path);
    // It looks at few rules, and finds what it would find among all.
    expect(match).toEqual(compiled.explain(method, host, path).match);
    return nameOf(match);
  };
}

function nameOf(match: RouteMatch): string {
  return match.kind === "route" ? match.route.name : match.kind;
}

test("the first rule that matches holds; what none matches is denied", () => {
  const match = table([
    rule("GET /v1/reports/latest 0.02"),
    rule("GET /v1/reports/:id 0.01"),
    rule("* /v1/files/* 0.03"),
    rule("GET / free"),
  ]);
  expect(match("GET", "/v1/reports/latest")).toBe("GET /v1/reports/latest");
  expect(match("GET", "/v1/reports/7")).toBe("GET /v1/reports/:id");
  expect(match("GET", "/v1/reports")).toBe("deny");
  expect(match("GET", "/v1/reports/7/8")).toBe("deny");
  expect(match("POST", "/v1/reports/7")).toBe("deny");
  for (const path of ["/v1/files", "/v1/files/", "/v1/files/a", "/v1/files/a/b/"]) {
    expect(match("DELETE", path), path).toBe("* /v1/files/*");
  }
  expect(match("GET", "/v1/filesystem")).toBe("deny");
  expect(match("GET", "/")).toBe("GET /");
});

test("parameters are one segment each, decoded, never empty", () => {
  const compiled = compileRoutes(gatewayConfig({ routes: [rule("GET /a/:one/:two 0.01")] }));
  const match = compiled.match("GET", undefined, "/a/x%20y/caf%C3%A9");
  expect(match).toMatchObject({ kind: "route", parameters: { one: "x y", two: "caf\u00e9" } });
  expect(compiled.match("GET", undefined, "/a/x/").kind).toBe("deny");
});

test("a slash at the end is ignored, on either side", () => {
  const match = table([rule("GET /a/ 0.01"), rule("GET /b 0.01")]);
  expect(["/a", "/a/", "/b", "/b/"].map((path) => match("GET", path))).not.toContain("deny");
});

test("HEAD takes the rule of GET; methods that are not passed on get 405", () => {
  const match = table([rule("GET /a 0.01"), rule("* /b 0.02")]);
  expect(match("HEAD", "/a")).toBe("GET /a");
  expect(match("PATCH", "/b")).toBe("* /b");
  for (const method of ["TRACE", "CONNECT", "PROPFIND", "OPTIONS", "get"]) {
    expect(match(method, "/b"), method).toBe("method_not_allowed");
  }
});

test("hosts are told apart once a rule names one; the others are unknown", () => {
  const routes = [rule("GET /a 0.01", { host: "one.example" }), rule("GET /a 0.02")];
  const match = table(routes);
  expect(match("GET", "/a", "ONE.example:443")).toBe("GET /a");
  const compiled = compileRoutes(gatewayConfig({ routes }));
  const priceAt = (host: string) => {
    const found = compiled.match("GET", host, "/a");
    return found.kind === "route" ? found.route.amountUnits : found.kind;
  };
  expect(priceAt("one.example.")).toBe(10_000n);
  expect(priceAt("api.example.com")).toBe(20_000n);
  expect(match("GET", "/a", "other.example")).toBe("unknown_host");
  expect(match("GET", "/a")).toBe("unknown_host");
  // Without such a rule, a gateway behind any name serves.
  expect(table([rule("GET /a 0.01")])("GET", "/a", "10.0.0.7:8402")).toBe("GET /a");
});

test("an escaped letter is the letter, an escaped sign is the sign", () => {
  const match = table([rule("GET /users:batch 0.01"), rule("GET /:id free")]);
  // WSGI and CGI decode the whole path before an application sees it.
  expect(match("GET", "/users%3Abatch")).toBe("GET /users:batch");
  expect(match("GET", canonicalPath("/u%73ers:batch", { allowEncodedSlash: false }) ?? "")).toBe(
    "GET /users:batch",
  );
});

describe("letters of another case", () => {
  const routes = [rule("GET /Reports/:id 0.01"), rule("GET /reports/free free"), rule("* /* free")];
  test("never fall to a cheaper rule behind", () => {
    const match = table(routes);
    expect(match("GET", "/Reports/7")).toBe("GET /Reports/:id");
    expect(match("GET", "/REPORTS/7")).toBe("deny");
    expect(match("GET", "/reports/7")).toBe("deny");
    expect(match("GET", "/other")).toBe("* /*");
  });

  test("may go to a rule of the same price, and are charged where the upstream ignores case", () => {
    const same = table([rule("GET /A 0.01"), rule("GET /* 0.01")]);
    expect(same("GET", "/a")).toBe("GET /*");
    const paths = { caseInsensitive: true };
    const loose = table(routes.slice(0, 1), { upstreams: { api: { ...upstream, paths } } });
    expect(loose("GET", "/REPORTS/7")).toBe("GET /Reports/:id");
  });
});

test("an escaped slash reaches only upstreams that take it as data", () => {
  const upstreams = {
    api: upstream,
    files: { ...upstream, paths: { allowEncodedSlash: true } },
  };
  const routes = [rule("GET /:id 0.01"), rule("GET /* 0.02", { upstream: "files" })];
  const compiled = compileRoutes(gatewayConfig({ routes, upstreams }));
  expect(compiled.pathRules).toEqual({ allowEncodedSlash: true });
  expect(compiled.match("GET", undefined, "/a%2Fb")).toMatchObject({
    route: { name: "GET /*" },
  });
  const only = table([rule("GET /:id 0.01")]);
  expect(only("GET", "/a%2Fb")).toBe("deny");
});

test("default: a route for all that no rule names", () => {
  const match = table([rule("GET /a 0.01")], { default: { upstream: "api", price: "0.05" } });
  expect([match("GET", "/b/c"), match("DELETE", "/a")]).toEqual(["default", "default"]);
  expect(match("TRACE", "/a")).toBe("method_not_allowed");
});

test("explains why earlier rules were not taken", () => {
  const routes = [
    rule("POST /a 0.01"),
    rule("GET /A 0.01", { host: "one.example" }),
    rule("GET /b 0.01"),
    rule("GET /A 0.02"),
    rule("GET /a 0.02"),
  ];
  const compiled = compileRoutes(gatewayConfig({ routes }));
  const { match, passedOver } = compiled.explain("GET", "api.example.com", "/a");
  expect(match).toMatchObject({ kind: "route", route: { index: 4 } });
  expect(passedOver.map(({ route, reason }) => [route.index, reason])).toEqual([
    [0, "method"],
    [1, "host"],
    [2, "path"],
    [3, "case_only"],
  ]);
});

/**
 * Paid resources as an Express application serves them, which ignores case and a slash at the end,
 * and behind them whatever else it has. A request that Express takes for paid must be paid.
 */
test("no spelling of a path that Express serves as paid is free", () => {
  const routes = [rule("GET /v1/Reports/:id 0.01"), rule("GET /v1/jobs 0.02"), rule("* /* free")];
  const compiled = compileRoutes(gatewayConfig({ routes }));
  const app = express();
  const server = createServer(app);
  const served: { response?: string } = {};
  app.get("/v1/Reports/:id", () => void (served.response = "paid"));
  app.get("/v1/jobs", () => void (served.response = "paid"));
  // A real path, each character as it is, in the other case, or escaped, and something behind it.
  const spelling = fc.constantFrom("same", "same", "same", "case", "escape");
  const raw = fc
    .tuple(
      fc.constantFrom("/v1/Reports/7", "/v1/jobs", "/free/../v1/jobs", "/v1//jobs", "/v1/jobs;x"),
      fc.array(spelling, { minLength: 16, maxLength: 16 }),
      fc.constantFrom("", "/", "//", "%2F", ".", "%20", "/."),
    )
    .map(
      ([path, ways, end]) =>
        path
          .split("")
          .map((one, at) => spell(one, ways[at]))
          .join("") + end,
    );
  let paidSeen = 0;
  fc.assert(
    fc.property(raw, (target) => {
      const path = canonicalPath(target, compiled.pathRules);
      if (path === undefined) return;
      delete served.response;
      const request = Object.assign(new IncomingMessage(new Socket()), {
        method: "GET",
        url: path,
      });
      // Routed on the spot; the answer of what is not served goes nowhere.
      server.emit("request", request, new ServerResponse(request));
      if (served.response === undefined) return;
      paidSeen++;
      const match = compiled.match("GET", undefined, path);
      const isFree = match.kind === "route" && match.route.amountUnits === undefined;
      expect(isFree, path).toBe(false);
    }),
    { numRuns: 20_000, examples: [["/V1/Reports/7"], ["/v1/jobs/"], ["/v1/j%6Fbs"]] },
  );
  expect(paidSeen).toBeGreaterThan(1000);
});

function spell(character: string, way: string | undefined): string {
  if (character === "/" || way === "same" || way === undefined) return character;
  const isUpper = character === character.toUpperCase();
  if (way === "case") return isUpper ? character.toLowerCase() : character.toUpperCase();
  return `%${character.charCodeAt(0).toString(16)}`;
}
