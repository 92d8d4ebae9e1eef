/** `farthing gateway import`: makes a configuration from an OpenAPI document or a gateway.json. */
import { readFileSync } from "node:fs";
import {
  compareImport,
  importApi,
  ImportError,
  readPrices,
  writeGatewayFile,
  type ImportChoices,
  type ImportDifference,
} from "@farthing/gateway";
import { printableText, writeTo } from "@farthing/protocol";
import type { Command } from "commander";
import { exitCodes, type ExitCode } from "../command/exit-codes.ts";
import { addPrintFlags, printReport, type PrintFlags } from "../output/print-output.ts";

interface Flags extends PrintFlags, ImportChoices {
  readonly prices?: string;
  readonly against?: string;
}

export function registerImport(gateway: Command): void {
  addPrintFlags(gateway.command("import"))
    .summary("generate a configuration from an OpenAPI document or a gateway.json, for review")
    .description(
      'Prints a configuration with a rule for every operation that has a price: from --prices, a YAML file with lines such as GET /v1/reports/{id}: "0.01" (or free; * for all others), or from x-payment-info in the document. With --against it prints the changes since a configuration was generated. Writes no file.',
    )
    .argument("<file>", "OpenAPI 3 in JSON or YAML, or a gateway.json of xdcai.tech")
    .option("--prices <file>", "prices by operation")
    .option("--against <file>", "compare with the rules of this configuration")
    .option("--public-url <url>", "address at which buyers reach the gateway")
    .option("--facilitator <url>", "the facilitator's base address, or embedded")
    .option("--pay-to <address>", "address that receives the payments")
    .option("--network <network>", "eip155:50 or eip155:51")
    .action((file: string, flags: Flags) => {
      process.exitCode = run(file, flags);
    });
}

function run(file: string, flags: Flags): ExitCode {
  try {
    const prices = flags.prices === undefined ? undefined : readPrices(readText(flags.prices));
    const api = importApi(file, prices);
    if (flags.against === undefined) {
      const openapi = api.isOpenapi ? { openapi: file } : {};
      writeTo(process.stdout, writeGatewayFile(api, { ...flags, ...openapi }));
      return exitCodes.success;
    }
    const difference = compareImport(readText(flags.against), api);
    if (!difference)
      throw new ImportError(
        `${flags.against} has no routes to compare with. Name a gateway configuration.`,
      );
    printReport(flags, difference, () => printableText(differenceText(difference)));
    return exitCodes.success;
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    writeTo(process.stderr, `${error.message}\n`);
    return exitCodes.configuration;
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    throw new ImportError(`Cannot read ${path}. Check the path and its permissions.`);
  }
}

function differenceText({ added, removed, changed, unpriced }: ImportDifference): string {
  const lines = [
    ...added.map(({ match, price }) => `+ ${match}  ${price}`),
    ...removed.map(({ match, price }) => `- ${match}  ${price}`),
    ...changed.map(({ match, before, after }) => `~ ${match}  ${before} → ${after}`),
    ...unpriced.map((match) => `? ${match}  no price`),
  ];
  return lines.length === 0 ? "No changes.\n" : `${lines.join("\n")}\n`;
}
