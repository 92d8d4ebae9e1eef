/** `npm run interop`: published x402 packages of several ages against the parts of this project. */
import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { parseArgs } from "node:util";
import { selectCheckout } from "./checkout.ts";

const usage = `Runs published x402 packages of other makers against our facilitator, seller and gateway.

  --quick             the part that CI runs, in less than a minute
  --only <part>       one part: ${["matrix", "differential", "buyers"].join(", ")}
  --scenario <name>   one attack of strangers, with its figures; "all" plays every one
  --on <folder>       another checkout of this repository, for figures from before a change
  --help              print this
`;

/** npm writes this file last, so that one older than the lock means that the install is not current. */
const installed = new URL("node_modules/.package-lock.json", import.meta.url);
const lock = new URL("package-lock.json", import.meta.url);

const modified = (file: URL) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Installs the packages of this folder where the lock has changed since the last time. */
function install(): void {
  if (modified(installed) >= modified(lock)) return;
  const flags = ["ci", "--no-audit", "--no-fund", "--ignore-scripts"];
  execFileSync("npm", flags, { cwd: import.meta.dirname, stdio: ["ignore", "ignore", "inherit"] });
}

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string" },
    on: { type: "string" },
    scenario: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

if (values.help) {
  process.stdout.write(usage);
} else {
  install();
  if (values.on !== undefined) selectCheckout(values.on);
  // Loaded only now, so that every `@farthing` package comes from the checkout that was selected.
  const { quick, only, scenario } = values;
  if (scenario !== undefined) {
    const { playScenarios } = await import("./scenarios.ts");
    await playScenarios(scenario);
  } else {
    const { runInterop } = await import("./run.ts");
    const failures = await runInterop({ quick, ...(only === undefined ? {} : { only }) });
    process.exitCode = failures === 0 ? 0 : 1;
  }
}
