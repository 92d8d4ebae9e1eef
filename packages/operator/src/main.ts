/** The farthing-operator command: what `farthing` forwards, without the rest of it. */
import { operatorCommands, runProgram } from "farthing/program";
import operator from "./index.ts";

await runProgram(
  "farthing-operator",
  "Runs an x402 facilitator for USDC on XDC",
  new URL("../package.json", import.meta.url),
  operatorCommands((name) => operator.commands[name]()),
);
