/** The farthing-operator command: what `farthing` forwards, and `init`, which it has for sellers. */
import { type CommandEntry, operatorCommands, runProgram } from "farthing/program";
import operator from "./index.ts";

const init: CommandEntry = {
  summary: "write a folder that runs a service in containers, with TLS",
  group: "Run a facilitator",
  nodeMin: "24.0",
  load: () => import("./init.ts"),
};

await runProgram(
  "farthing-operator",
  "Runs an x402 facilitator for USDC on XDC",
  new URL("../package.json", import.meta.url),
  { init, ...operatorCommands((name) => operator.commands[name]()) },
);
