/** Browsers, programs and those in between. */
import { expect, test } from "vitest";
import { prefersHtml } from "./prefers-html.ts";

const chrome =
  "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7";

test.each([
  ["Chrome", { Accept: chrome }, true],
  ["Safari", { Accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" }, true],
  ["a navigation", { Accept: chrome, "Sec-Fetch-Mode": "navigate" }, true],
  ["a script of a page", { Accept: chrome, "Sec-Fetch-Mode": "cors" }, false],
  ["HTML before all else", { Accept: "text/html, */*" }, true],
  ["curl", { Accept: "*/*" }, false],
  ["fetch of Node", { Accept: "*/*", "Sec-Fetch-Mode": "cors" }, false],
  ["axios", { Accept: "application/json, text/plain, */*" }, false],
  ["nothing", {}, false],
  ["either", { Accept: "text/html, application/json" }, false],
  ["JSON rather", { Accept: "application/json, text/html;q=0.9" }, false],
  ["any text", { Accept: "text/*" }, false],
  ["no HTML at all", { Accept: "text/html;q=0, */*" }, false],
  ["junk", { Accept: ";;,,text/html;q=abc" }, false],
] as const)("%s", (_name, headers, isPage) => {
  expect(prefersHtml(new Request("http://seller.example/", { headers }))).toBe(isPage);
});

test.each(["HEAD", "POST"])("%s gets no page", (method) => {
  const request = new Request("http://seller.example/", { method, headers: { Accept: chrome } });
  expect(prefersHtml(request)).toBe(false);
});
