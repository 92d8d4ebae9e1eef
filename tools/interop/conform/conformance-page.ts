/** The page with the rules of the kit, and what it found about published software. */
import {
  buyerCases,
  facilitatorCases,
  sellerCases,
  type Profile,
  type Role,
  type Verdict,
} from "@farthing/conform";
import { subjects } from "./subjects.ts";

/** What was found about one subject, by the name of the case. */
export type Verdicts = Readonly<
  Record<string, { readonly verdict: Verdict; readonly reason: string }>
>;

interface Listed {
  readonly name: string;
  readonly profile: Profile;
  readonly rule: string;
  readonly source: string;
}

const cases: Readonly<Record<Role, readonly Listed[]>> = {
  facilitator: facilitatorCases,
  seller: sellerCases,
  buyer: buyerCases,
};

const titles = { facilitator: "Facilitators", seller: "Sellers", buyer: "Buyers" } as const;

const marks = { pass: "pass", fail: "**fail**", "not applicable": "n/a" } as const;

/** Writes the page. A column without results was not run. */
export function conformancePage(found: Readonly<Record<string, Verdicts>>): string {
  const sections = (["facilitator", "seller", "buyer"] as const).flatMap((role) => [
    `## ${titles[role]}`,
    "",
    ...tableOf(role, found),
    "",
    ...failuresOf(role, found),
    "### Rules",
    "",
    ...cases[role].map(
      ({ name, profile, rule, source }) => `- \`${name}\` (${profile}): ${rule} _${source}_`,
    ),
    "",
  ]);
  return [
    "<!-- Made by `npm run conform` from the cases and their results. Do not edit. -->",
    "# Conformance",
    "",
    "`farthing conform` tests x402 software of any make from outside: [the guide](../guides/test-x402-software.md) shows how. This page has its rules, and what it found about published software at the versions named here. `npm run conform` runs everything again and writes the page. Published facilitators are wired as the example of their repository wires them: one wallet, no queue.",
    "",
    "The profile `spec` is about messages. The profile `money` is about payments in faults; its rules are our promises, and several go beyond what the specification asks.",
    "",
    ...sections,
  ].join("\n");
}

function tableOf(role: Role, found: Readonly<Record<string, Verdicts>>): string[] {
  const columns = subjects[role].filter(({ name }) => found[`${role} ${name}`] !== undefined);
  const names = columns.map(({ name }) => name);
  return [
    `| case | ${names.join(" | ")} |`,
    `| --- | ${names.map(() => "---").join(" | ")} |`,
    ...cases[role].map(({ name }) => {
      const cells = names.map((subject) => {
        const verdict = found[`${role} ${subject}`]?.[name]?.verdict;
        return verdict === undefined ? "" : marks[verdict];
      });
      return `| \`${name}\` | ${cells.join(" | ")} |`;
    }),
  ];
}

/** What failed at the newest published version, in the words of the kit. */
function failuresOf(role: Role, found: Readonly<Record<string, Verdicts>>): string[] {
  const newest = subjects[role].findLast(({ name }) => name.startsWith("@x402/"))?.name ?? "";
  const failed = Object.entries(found[`${role} ${newest}`] ?? {}).filter(
    ([, { verdict }]) => verdict === "fail",
  );
  if (failed.length === 0) return [];
  const lines = failed.map(([name, { reason }]) => `- \`${name}\`: ${plain(reason)}`);
  return [`What failed at ${newest}:`, "", ...lines, ""];
}

/** Hashes and quoted bodies differ from run to run. */
const plain = (reason: string): string =>
  reason.replaceAll(/0x[0-9a-f]{64}/gi, "0x…").replaceAll(/ \(200 \{.*?…?\)/g, "");
