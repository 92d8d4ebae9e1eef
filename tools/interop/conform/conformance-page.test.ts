/** The page of results is what the kit's cases and the kept results make, and leaves no case out. */
import { readFileSync } from "node:fs";
import { buyerCases, facilitatorCases, roles, sellerCases, type Role } from "@farthing/conform";
import { expect, test } from "vitest";
import { conformancePage, type Verdicts } from "./conformance-page.ts";
import { subjects } from "./subjects.ts";
import results from "./results.json" with { type: "json" };

const found: Readonly<Record<string, Verdicts>> = JSON.parse(JSON.stringify(results));
const page = readFileSync(
  new URL("../../../docs/reference/conformance.md", import.meta.url),
  "utf8",
);

const cases: Readonly<Record<Role, readonly { readonly name: string }[]>> = {
  facilitator: facilitatorCases,
  seller: sellerCases,
  buyer: buyerCases,
};

test("the page is made from the cases and the results that are there", () => {
  expect(page).toBe(conformancePage(found));
});

test.each(roles)("each %s of the page was tried with every case, and no other is kept", (role) => {
  const names = cases[role].map(({ name }) => name).toSorted();
  for (const { name } of subjects[role]) {
    const tried = Object.keys(found[`${role} ${name}`] ?? {}).toSorted();
    expect([name, tried]).toEqual([name, names]);
  }
});

test.each(roles)("our own %s fails no case", (role) => {
  const [own] = subjects[role];
  const verdicts = Object.entries(found[`${role} ${own?.name}`] ?? {});
  expect(verdicts.filter(([, { verdict }]) => verdict === "fail")).toEqual([]);
});
