/** What keeps people out of a page, and whether it fits its window. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { isObject } from "@farthing/protocol";
import type { Page } from "playwright-core";
import { expect } from "vitest";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * Has axe judge the page by the rules that can find something serious: what a rule finds has the impact
 * of the rule. The others are a third of the rules and nearly as much of the time.
 */
const runAxe = `(() => {
  const isSerious = ({ impact }) => impact !== "minor" && impact !== "moderate";
  const others = axe._audit.rules.filter((rule) => !isSerious(rule));
  const rules = Object.fromEntries(others.map(({ id }) => [id, { enabled: false }]));
  return axe.run(document, { resultTypes: ["violations"], rules });
})()`;

/** What axe says of the page, serious and critical only, in one line each. */
export async function findBarriers(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe);
  const found: unknown = await page.evaluate(runAxe);
  const violations: unknown = isObject(found) ? found["violations"] : undefined;
  if (!Array.isArray(violations)) throw new Error("axe said nothing.");
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }: { html: string }) => html).join(" ")}`);
}

/** By how much something is wider than the page. */
export const widthOver = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.body.offsetWidth);

/** Checks that a page is accessible and fits its window; `place` names the page in failures. */
export async function expectFit(page: Page, place: string): Promise<void> {
  const barriers = await findBarriers(page);
  expect({ place, barriers, over: await widthOver(page) }).toEqual({
    place,
    barriers: [],
    over: 0,
  });
}

type ColorScheme = "light" | "dark";

/** Checks a page in each scheme, loaded once: they differ in their style sheet alone. */
export async function expectFitIn(
  schemes: readonly ColorScheme[],
  page: Page,
  place: string,
): Promise<void> {
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme });
    await expectFit(page, `${place}, ${colorScheme}`);
  }
}

const desk = { viewport: { width: 1280, height: 800 } };
const phone = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };

/**
 * The windows of people, and the schemes for {@link expectFitIn}. The dark screens on a phone are left
 * out: dark changes colours alone, and no colour of theirs depends on the width, which a test holds.
 */
export const windows = [
  ["on a desk", desk, ["light", "dark"]],
  ["on a phone", phone, ["light"]],
] as const;

/** Ways to look at a page. */
export const views = [
  ["light", { ...desk, colorScheme: "light" }],
  ["dark", { ...desk, colorScheme: "dark" }],
  ["on a phone", { ...phone, colorScheme: "light" }],
  ["on a phone, dark", { ...phone, colorScheme: "dark" }],
] as const;
