/** Rules that contradict each other, and rules that only look as if they did. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  gatewayConfig,
  rule,
  upstream,
  type Settings,
} from "../configuration/gateway-file.testing.ts";
import { covers, overlaps } from "./route-overlap.ts";
import { compileRoutes } from "./route-table.ts";

/** The problems of a list of rules, one per line; empty when there are none. */
function conflicts(routes: readonly Settings[], more: Settings = {}): string {
  try {
    gatewayConfig({ routes, ...more });
    return "";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

test.each<[string, readonly Settings[], RegExp]>([
  [
    "the same rule twice",
    [rule("GET /a 1"), rule("GET /a 1")],
    /routes\[1\]\.match is never reached/,
  ],
  [
    "a rest above",
    [rule("GET /a/* 1"), rule("GET /a/b/:c 2")],
    /routes\[0\] \(GET \/a\/\*\) takes all/,
  ],
  [
    "the same host above, by the port that browsers leave out",
    [rule("GET /a 1", { host: "api.example:443" }), rule("GET /a 2", { host: "API.example" })],
    /routes\[1\]\.match is never reached/,
  ],
  ["all methods above", [rule("* /a 1"), rule("POST /a 2")], /never reached/],
  ["a parameter above", [rule("GET /:a 1"), rule("GET /b free")], /never reached/],
  ["another case of letters above", [rule("GET /A 1"), rule("GET /a 1")], /^$/],
  [
    "two that cross",
    [rule("GET /a/:b 1"), rule("GET /:a/b 2")],
    /routes\[1\]\.match shares requests with routes\[0\].*1\.000000 USDC and 2\.000000 USDC.*Write a rule/,
  ],
  [
    "two that cross, one free",
    [rule("* /a/:b free"), rule("GET /:a/b 2")],
    /at another price \(free and/,
  ],
])("%s", (_name, routes, said) => {
  expect(conflicts(routes)).toMatch(said);
});

test("a rule that another leaves something is fine", () => {
  expect(conflicts([rule("GET /a/b 2"), rule("GET /a/:c 1"), rule("GET /a/* 3")])).toBe("");
  expect(conflicts([rule("GET /a/:b 1"), rule("GET /:a/b 1")])).toBe("");
  expect(conflicts([rule("GET /a 1"), rule("POST /a 2"), rule("GET /a/b/* 1")])).toBe("");
  const hosts = [
    rule("GET /a 1", { host: "one.example" }),
    rule("GET /a 2", { host: "b.example" }),
  ];
  expect(conflicts([...hosts, rule("GET /a 3")])).toBe("");
  expect(conflicts([rule("* /health free"), rule("GET /* 1")])).toBe("");
  // The second still takes paths with an escaped slash, which the first does not.
  const upstreams = { api: upstream, files: { ...upstream, paths: { allowEncodedSlash: true } } };
  const files = [rule("GET /* 1"), rule("GET /f/* 1", { upstream: "files" })];
  expect(conflicts(files, { upstreams })).toBe("");
});

test("an upstream that ignores case makes two spellings one rule", () => {
  const upstreams = { api: { ...upstream, paths: { caseInsensitive: true } } };
  expect(conflicts([rule("GET /A 1"), rule("GET /a 1")], { upstreams })).toMatch(/never reached/);
});

test("a rule that minds the case of letters leaves the other spellings to one that does not", () => {
  const upstreams = { api: upstream, iis: { ...upstream, paths: { caseInsensitive: true } } };
  const second = rule("GET /a 1", { upstream: "iis" });
  expect(conflicts([rule("GET /a 1"), second], { upstreams })).toBe("");
  expect(conflicts([rule("GET /:a 1"), second], { upstreams })).toMatch(/never reached/);
});

test("the time budget: upstream, settlement and margin must fit the signature", () => {
  const upstreams = { api: { ...upstream, timeouts: { total: "26s", headers: "15s" } } };
  const said = conflicts([rule("GET /a 1")], { upstreams });
  expect(said).toMatch(
    /routes\[0\] does not fit.*26s \+ 20s \+ 15s .* more than 60s\. Set maxTimeoutSeconds to 61 or more/,
  );
  expect(conflicts([rule("GET /a 1", { maxTimeoutSeconds: 61 })], { upstreams })).toBe("");
  // A stream settles with the headers, and before-upstream before anything else.
  expect(conflicts([rule("GET /a 1", { stream: "raw" })], { upstreams })).toBe("");
  expect(conflicts([rule("POST /a 1", { settle: "before-upstream" })], { upstreams })).toBe("");
  expect(conflicts([rule("GET /a free")], { upstreams })).toBe("");
  expect(
    conflicts([rule("GET /a 1")], {
      upstreams,
      default: { upstream: "api", price: "1" },
      maxTimeoutSeconds: 61,
    }),
  ).toBe("");
  expect(
    conflicts([rule("GET /a free")], { upstreams, default: { upstream: "api", price: "1" } }),
  ).toMatch(/default does not fit/);
});

test.each(["caseInsensitive", "allowEncodedSlash"])("a free default goes not with %s", (key) => {
  const upstreams = { api: { ...upstream, paths: { [key]: true } } };
  const free = { upstream: "api", free: true };
  const said = new RegExp(`default is free, and upstream api has ${key}`);
  expect(conflicts([rule("GET /a 1")], { upstreams, default: free })).toMatch(said);
  expect(conflicts([rule("GET /a 1")], { default: free })).toBe("");
  expect(conflicts([rule("GET /a free")], { upstreams, default: free })).toBe("");
});

const pattern = fc
  .tuple(
    fc.constantFrom("GET", "POST", "*"),
    fc.array(fc.constantFrom("a", "b", ":x", "A"), { maxLength: 3 }),
    fc.boolean(),
  )
  .map(([method, parts, hasRest]) => {
    const named = parts.map((part, index) => (part === ":x" ? `:x${index}` : part));
    return `${method} /${[...named, ...(hasRest ? ["*"] : [])].join("/")}`;
  });
const path = fc.array(fc.constantFrom("a", "b", "A", "c"), { maxLength: 4 });

test("what is said of two rules is true of every request", () => {
  fc.assert(
    fc.property(
      pattern,
      pattern,
      fc.constantFrom("GET", "POST"),
      path,
      fc.boolean(),
      (first, second, method, parts, caseInsensitive) => {
        const upstreams = { api: { ...upstream, paths: { caseInsensitive } } };
        const alone = [first, second].map((match) =>
          gatewayConfig({ upstreams, routes: [{ match, upstream: "api", price: "1" }] }),
        );
        const [one, other] = alone.map(({ routes }) => routes[0]);
        if (!one || !other) throw new Error("a rule was lost");
        const [byOne, byOther] = alone.map(
          (config) =>
            compileRoutes(config).match(method, undefined, `/${parts.join("/")}`).kind === "route",
        );
        if (covers(one, other) && byOther) expect(byOne).toBe(true);
        if (byOne && byOther) expect(overlaps(one, other)).toBe(true);
      },
    ),
    { numRuns: 1000 },
  );
});
