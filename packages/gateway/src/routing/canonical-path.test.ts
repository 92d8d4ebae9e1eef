/** One path, read by everybody in one way: the tricks that are refused, and what all agree on. */
import { request, type RequestListener } from "node:http";
import { text } from "node:stream/consumers";
import express from "express";
import * as fc from "fast-check";
import { listen, type Listening } from "@farthing/seller/testing/listen";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { canonicalPath, maxPathChars, splitTarget } from "./canonical-path.ts";

const strict = { allowEncodedSlash: false };
const lax = { allowEncodedSlash: true };

describe("what could be read in two ways is refused", () => {
  test.each([
    ["a doubled slash", "/v1//reports/7"],
    ["a leading doubled slash", "//v1/reports/7"],
    ["dots up", "/free/../v1/reports/7"],
    ["dots here", "/v1/./reports/7"],
    ["escaped dots", "/free/%2e%2e/v1/reports/7"],
    ["half escaped dots", "/free/.%2E/v1/reports/7"],
    ["dots at the end", "/v1/reports/.."],
    ["an escaped slash", "/v1%2freports/7"],
    ["an escaped slash in capitals", "/v1%2Freports/7"],
    ["a doubly escaped slash", "/v1%252freports/7"],
    ["a backslash", "/v1\\reports\\7"],
    ["an escaped backslash", "/v1%5creports"],
    ["matrix parameters", "/v1/reports;x/7"],
    ["escaped matrix parameters", "/v1/reports%3bx/7"],
    ["a null byte", "/v1/reports/7%00"],
    ["an escaped line break", "/v1/reports/7%0d%0aX: y"],
    ["an escaped question mark", "/v1/reports%3fx"],
    ["an escaped hash", "/v1/reports%23x"],
    ["a fragment", "/v1/reports#x"],
    ["a trailing dot", "/v1/reports/7."],
    ["a trailing escaped dot", "/v1/reports%2e/7"],
    ["a trailing escaped space", "/v1/reports%20/7"],
    ["a broken escape", "/v1/%zz"],
    ["half an escape", "/v1/reports/%"],
    ["an overlong slash", "/v1%c0%afreports"],
    ["bytes that are no UTF-8", "/v1/%ff"],
    ["the absolute form", "http://origin.internal/v1/reports/7"],
    ["the authority form", "origin.internal:443"],
    ["the asterisk form", "*"],
    ["nothing", ""],
    ["bytes outside ASCII", "/v1/r\u00e9ports"],
    ["a space", "/v1/re ports"],
    ["a tab", "/v1/\treports"],
    ["a query that was left on", "/v1/reports?x"],
    ["more than fits", `/${"a".repeat(maxPathChars)}`],
  ])("%s", (_name, raw) => {
    expect(canonicalPath(raw, strict)).toBeUndefined();
    const isSlash = /%2f/i.test(raw) && !/%252f/i.test(raw);
    // Where an escaped slash is data, all else is refused as before.
    if (!isSlash) expect(canonicalPath(raw, lax)).toBeUndefined();
  });

  test("with escaped slashes allowed, dots and emptiness behind them still are", () => {
    expect(canonicalPath("/files/a%2fb", lax)).toBe("/files/a%2Fb");
    for (const raw of ["/files/%2e%2e%2fv1", "/a%2f..%2fb", "/a%2f%2fb", "/%2fv1", "/a/%2f"]) {
      expect(canonicalPath(raw, lax), raw).toBeUndefined();
    }
  });
});

test.each([
  ["/", "/"],
  ["/v1/%72eports/7", "/v1/reports/7"],
  ["/v1/reports/7/", "/v1/reports/7/"],
  ["/a%c3%a9", "/a%C3%A9"],
  ["/a%20b/.well-known/x", "/a%20b/.well-known/x"],
  ["/users/a@b.example/x:batch,y=1", "/users/a@b.example/x:batch,y=1"],
])("%s becomes %s", (raw, path) => {
  expect(canonicalPath(raw, strict)).toBe(path);
});

test("a target is split at its first question mark, and what no client sends is refused", () => {
  expect(splitTarget("/a?b=/../c?d")).toEqual({ path: "/a", query: "?b=/../c?d" });
  expect(splitTarget("/a")).toEqual({ path: "/a", query: "" });
  for (const raw of ["/a#b", "/a?b#c", "/a b", "/a\u00e9", "/a?\r\nx"]) {
    expect(splitTarget(raw)).toBeUndefined();
  }
});

/** Pieces of which tricks are made, so that nearly every path is one. */
const piece = fc.oneof(
  fc.constantFrom(
    "/",
    "/",
    "a",
    "B",
    "7",
    ".",
    "..",
    "%2e",
    "%2F",
    "%2f",
    "%5c",
    "%25",
    ";",
    "%3b",
  ),
  fc.constantFrom("%00", "%0a", "%20", "%41", "%c3%a9", "%C0%AF", "%ff", "%", "\\", "~", "@", ":"),
  fc.constantFrom(
    "*",
    "+",
    "'",
    "(",
    "[",
    "|",
    "^",
    "{",
    "\u00e9",
    " ",
    "#",
    "?",
    "&",
    "=",
    "!",
    "$",
  ),
  fc.string({ maxLength: 3 }),
);
const rawPath = fc.array(piece, { maxLength: 12 }).map((pieces) => `/${pieces.join("")}`);
const rules = fc.boolean().map((allowEncodedSlash) => ({ allowEncodedSlash }));

test("the canonical form of a canonical path is itself", () => {
  fc.assert(
    fc.property(rawPath, rules, (raw, allowed) => {
      const path = canonicalPath(raw, allowed);
      if (path !== undefined) expect(canonicalPath(path, allowed)).toBe(path);
    }),
    { numRuns: 5000 },
  );
});

test("URL parsers leave it as it is, and two spellings of it decode to the same", () => {
  fc.assert(
    fc.property(rawPath, rules, (raw, allowed) => {
      const path = canonicalPath(raw, allowed);
      if (path === undefined) return;
      const url = new URL(`http://upstream.example${path}`);
      expect([url.pathname, url.search, url.hash]).toEqual([path, "", ""]);
      expect(decodeURIComponent(path)).toBe(decodeURIComponent(raw));
    }),
    { numRuns: 5000 },
  );
});

describe("servers", () => {
  const servers: Listening[] = [];
  beforeAll(async () => {
    const app = express();
    app.use((req, res) => res.json({ url: req.url, path: req.path }));
    servers.push(await listen(app));
    servers.push(await listen(plain));
  });
  afterAll(() => Promise.all(servers.map((server) => server.close())));

  test("Express and Node see the very path that was matched", async () => {
    const accepted = rawPath
      .map((raw) => canonicalPath(raw, lax))
      .filter((path) => path !== undefined);
    await fc.assert(
      fc.asyncProperty(accepted, async (path) => {
        const seen = await Promise.all(servers.map(({ url }) => askAt(url, path)));
        expect(seen).toEqual([
          { url: path, path },
          { url: path, path },
        ]);
      }),
      { numRuns: 100 },
    );
  });
});

function askAt(url: string, path: string): Promise<unknown> {
  return new Promise<unknown>((resolve, reject) => {
    request(url, { path, agent: false }, (answer) => {
      text(answer).then((body) => resolve(JSON.parse(body)), reject);
    })
      .on("error", reject)
      .end();
  });
}

/** A server without a framework. */
const plain: RequestListener = (req, res) => {
  const { pathname } = new URL(req.url ?? "", "http://upstream.example");
  res.end(JSON.stringify({ url: req.url, path: pathname }));
};
