/** `npm run interop`: published x402 packages of several ages against the parts of this project. */
import { parseArgs } from "node:util";
import { selectCheckout } from "./checkout.ts";
import { installPackages } from "./install-packages.ts";

const usage = `Runs published x402 packages of other makers against our facilitator, seller and gateway.

  --quick             the part that CI runs, in less than a minute
  --only <part>       one part: ${["matrix", "differential", "buyers", "runtimes", "extensions", "channels", "languages"].join(", ")}
  --scenario <name>   one attack of strangers, with its figures; "all" plays every one
  --on <folder>       another checkout of this repository, for figures from before a change
  --help              print this
`;

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
  installPackages(new URL("./", import.meta.url));
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
