/** What the operator's commands share with the others. */
export { exitCodes } from "./command/exit-codes.ts";
export type { CommandEntry } from "./command/command-table.ts";
export {
  countFindings,
  findingText,
  summaryText,
  type FindingCounts,
} from "./output/finding-rows.ts";
export { operatorCommands, type OperatorPackage } from "./command/operator-package.ts";
export { addPrintFlags, isJsonWanted, printList, type PrintFlags } from "./output/print-output.ts";
export { askSecret, askText, demandYes, isTerminal } from "./input/prompt.ts";
export type { Layout, Row } from "./output/table.ts";
export { startWaiting, whileWaiting } from "./output/waiting.ts";
export { runProgram } from "./command/run-program.ts";
