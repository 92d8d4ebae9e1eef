/**
 * `npm run conform`: runs every case against our parts and against published packages, and writes the
 * page of results. `-- --only <name>` runs the subject of this name, or those whose name begins so, and
 * keeps the other columns;
 * `-- --faults` runs the tests of the kit instead, with every planted fault and every case.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import {
  buyerCases,
  facilitatorCases,
  resultLines,
  roles,
  runBuyer,
  runFacilitator,
  runSeller,
  sellerCases,
  type CaseResult,
  type Role,
} from "@farthing/conform";
import { conformancePage, type Verdicts } from "./conformance-page.ts";
import { prepare } from "./prepare.ts";
import { subjects } from "./subjects.ts";

const file = new URL("results.json", import.meta.url);
const page = new URL("../../../docs/reference/conformance.md", import.meta.url);

const onResult = (result: CaseResult) => void process.stdout.write(resultLines(result));

const runners: Readonly<Record<Role, (command: string) => Promise<readonly CaseResult[]>>> = {
  facilitator: (start) => runFacilitator({ start, cases: facilitatorCases, onResult }),
  seller: (start) => runSeller({ start, paid: "GET:/report", cases: sellerCases, onResult }),
  buyer: (run) => runBuyer({ run, cases: buyerCases, onResult }),
};

const { values } = parseArgs({
  options: { only: { type: "string" }, role: { type: "string" }, faults: { type: "boolean" } },
});
if (values.faults === true) {
  const { status } = spawnSync("npx", ["vitest", "run", "packages/conform"], {
    cwd: fileURLToPath(new URL("../../../", import.meta.url)),
    env: { ...process.env, CONFORM_FAULTS: "all" },
    stdio: "inherit",
  });
  process.exit(status ?? 1);
}
/** Read again before each change: runs of several subjects may go on beside each other. */
const readFound = (): Record<string, Verdicts> =>
  existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
let ownFailures = 0;
const { only } = values;
const isNamed = Object.values(subjects).some((all) => all.some(({ name }) => name === only));
const isChosen = (name: string) =>
  only === undefined || (isNamed ? name === only : name.startsWith(only));
for (const role of roles.filter((one) => values.role === undefined || one === values.role)) {
  for (const [index, { name, command, needs }] of subjects[role].entries()) {
    if (!isChosen(name)) continue;
    const missing = await prepare(needs);
    process.stdout.write(`\n${role}: ${name}${missing ? ` is left out: ${missing}` : ""}\n`);
    if (missing !== undefined) continue;
    const results = await runners[role](command);
    const rows = results.map((one) => [one.name, { verdict: one.verdict, reason: one.reason }]);
    const found = { ...readFound(), [`${role} ${name}`]: Object.fromEntries(rows) };
    const isOwn = index === 0;
    if (isOwn) ownFailures += results.filter(({ verdict }) => verdict === "fail").length;
    writeFileSync(file, `${JSON.stringify(found, undefined, 2)}\n`);
    writeFileSync(page, conformancePage(found));
  }
}
process.exitCode = ownFailures === 0 ? 0 : 1;
