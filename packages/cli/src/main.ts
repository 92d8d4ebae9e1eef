/** The farthing command: what buyers and sellers run, and the operator's commands where installed. */
import { commands } from "./commands.ts";
import { runProgram } from "./command/run-program.ts";

await runProgram(
  "farthing",
  "x402 payments in USDC on XDC",
  new URL("../package.json", import.meta.url),
  commands,
);
