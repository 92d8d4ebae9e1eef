/** The page about passes shows what was reached. */
import { expect, test } from "vitest";
import { passSection } from "./passes.ts";

test("a token has to open twenty times as many requests as payments do", () => {
  const plan = { callers: 2, warmUpMs: 0, countMs: 1_000 };
  const sectionAt = (perSecond: number) =>
    passSection(plan, [
      { opening: "a payment each", perSecond: 2 },
      { opening: "a token", perSecond },
      { opening: "a sign-in each", perSecond: 60 },
    ]);
  expect(sectionAt(40)).toContain("with a payment each: reached.");
  expect(sectionAt(40)).toContain("| a sign-in each | 60 | 30 times |");
  expect(sectionAt(39)).toContain("with a payment each: **not reached**.");
});
