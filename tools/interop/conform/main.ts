/**
 * `npm run conform`: runs every case against our parts and against published packages, and writes the
 * page of results. `-- --only <name>` runs the subjects whose name begins so and keeps the other columns.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
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
import { installPackages } from "../install-packages.ts";
import { hasPython, installPython } from "../languages/toolchains.ts";
import { conformancePage, type Verdicts } from "./conformance-page.ts";
import { needsPython, subjects } from "./subjects.ts";

const file = new URL("results.json", import.meta.url);
const page = new URL("../../../docs/reference/conformance.md", import.meta.url);

const onResult = (result: CaseResult) => void process.stdout.write(resultLines(result));

const runners: Readonly<Record<Role, (command: string) => Promise<readonly CaseResult[]>>> = {
  facilitator: (start) => runFacilitator({ start, cases: facilitatorCases, onResult }),
  seller: (start) => runSeller({ start, paid: "GET:/report", cases: sellerCases, onResult }),
  buyer: (run) => runBuyer({ run, cases: buyerCases, onResult }),
};

const { values } = parseArgs({ options: { only: { type: "string" }, role: { type: "string" } } });
installPackages(new URL("../", import.meta.url));
/** Read again before each change: runs of several subjects may go on beside each other. */
const readFound = (): Record<string, Verdicts> =>
  existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
let ownFailures = 0;
for (const role of roles.filter((one) => values.role === undefined || one === values.role)) {
  for (const [index, { name, command }] of subjects[role].entries()) {
    if (values.only !== undefined && !name.startsWith(values.only)) continue;
    if (needsPython({ name, command })) {
      if (!hasPython()) {
        process.stdout.write(
          `\n${role}: ${name} is left out, as this machine has no Python 3.10\n`,
        );
        continue;
      }
      await installPython("v2");
    }
    process.stdout.write(`\n${role}: ${name}\n`);
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
