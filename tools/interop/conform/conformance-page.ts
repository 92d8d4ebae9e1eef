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
  readonly standsOn?: readonly string[];
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

/** What a reader of a failure looks at first. */
const standing = (names: readonly string[]): string =>
  names.length === 0 ? "" : ` Stands on ${names.map((name) => `\`${name}\``).join(", ")}.`;

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
      ({ name, profile, rule, source, standsOn = [] }) =>
        `- \`${name}\` (${profile}): ${rule} _${source}_${standing(standsOn)}`,
    ),
    "",
  ]);
  return [
    "<!-- Made by `npm run conform` from the cases and their results. Do not edit. -->",
    "# Conformance",
    "",
    "`farthing conform` tests x402 software of any make from outside: [the guide](../guides/test-x402-software.md) shows how. This page has its rules, and what it found about published software at the versions named here. `npm run conform` runs everything again and writes the page. Published facilitators are wired as the example of their repository wires them: one wallet, no queue.",
    "",
    "The profile `spec` is about messages. The profile `money` is about payments in faults; its rules are our promises, and several go beyond what the specification asks. A case that stands on others fails where one of them does.",
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

/** What failed at the newest published version and with the crates for Rust, in the words of the kit. */
function failuresOf(role: Role, found: Readonly<Record<string, Verdicts>>): string[] {
  const newest = subjects[role].findLast(({ name }) => name.startsWith("@x402/"));
  const inRust = subjects[role].filter(({ needs }) => needs === "rust" || needs === "x402-rs");
  return [...(newest ? [newest] : []), ...inRust].flatMap(({ name: subject }) => {
    const failed = Object.entries(found[`${role} ${subject}`] ?? {}).filter(
      ([, { verdict }]) => verdict === "fail",
    );
    if (failed.length === 0) return [];
    const lines = failed.map(([name, { reason }]) => `- \`${name}\`: ${plain(reason)}`);
    return [`What failed at ${subject}:`, "", ...lines, ""];
  });
}

/** Hashes and quoted bodies differ from run to run. */
const plain = (reason: string): string =>
  reason.replaceAll(/0x[0-9a-f]{64}/gi, "0x…").replaceAll(/ \(200 \{.*?…?\)/g, "");
