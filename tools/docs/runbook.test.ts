/** The runbook has a section for each alert, in the same order, and each alert leads to its own. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";

const root = join(import.meta.dirname, "../..");
const textOf = (path: string) => readFileSync(join(root, path), "utf8");

interface Rule {
  readonly alert: string;
  readonly annotations: { readonly runbook_url?: string };
}
const alerts: Rule[] = parse(textOf("deploy/prometheus/alerts.yml")).groups.flatMap(
  ({ rules }: { rules: Rule[] }) => rules,
);

const page = textOf("docs/reference/runbook.md");
const sections = new Map(
  page
    .split(/^## /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf("\n")), section] as const),
);

/** Where the manifests say that the repository is; the first release replaces the owner in all. */
const repository = String(JSON.parse(textOf("packages/protocol/package.json")).repository.url)
  .replace(/^git\+/, "")
  .replace(/\.git$/, "");

test("the headings are the alerts, in the order of the rules", () => {
  expect(alerts.length).toBeGreaterThan(20);
  expect([...sections.keys()]).toEqual(alerts.map(({ alert }) => alert));
});

test("each alert leads to its heading", () => {
  const expected = alerts.map(({ alert }) => [
    alert,
    `${repository}/blob/main/docs/reference/runbook.md#${alert.toLowerCase()}`,
  ]);
  expect(alerts.map(({ alert, annotations }) => [alert, annotations.runbook_url])).toEqual(
    expected,
  );
});

test.each([...sections])("%s says what it means, what to look at, do and not do", (_, section) => {
  const labels = [...section.matchAll(/^\*\*(.+?)\.\*\* \S/gm)].map(([, label]) => label);
  expect(labels).toEqual(["Meaning", "Look at", "Do", "Do not"]);
});

/** The metric of a histogram's series. */
const base = (name: string) => name.replace(/_(bucket|sum|count)$/, "");

test("metrics, settings and log events that the runbook names exist", () => {
  const named = [...page.matchAll(/`(x402_\w+|FARTHING_\w+|OTEL_\w+|[a-z]+_[a-z_]+)[`{]/g)].map(
    ([, name = ""]) => name,
  );
  const folder = join(root, "docs/reference");
  const others = readdirSync(folder)
    .filter((file) => file.endsWith(".md") && file !== "runbook.md")
    .map((file) => readFileSync(join(folder, file), "utf8"))
    .join("\n");
  expect(named.length).toBeGreaterThan(30);
  // The reference has values of labels in parentheses behind what they mean.
  const isThere = (name: string) =>
    others.includes(`\`${base(name)}\``) || others.includes(`(${name})`);
  expect(named.filter((name) => !isThere(name))).toEqual([]);
});
