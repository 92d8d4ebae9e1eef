/** `farthing channels contract`: whether the published contracts stand on a chain, and their deployment. */
import type { Finding } from "@farthing/gateway";
import { findNetwork } from "@farthing/protocol";
import type { Command } from "commander";
import { messageOf, UsageError } from "../command/command-errors.ts";
import { exitCodes, type ExitCode } from "../command/exit-codes.ts";
import { runCommand } from "../command/run-command.ts";
import { rpcOption } from "../input/rpc-node.ts";
import { countFindings, findingText, summaryText } from "../output/finding-rows.ts";
import { addPrintFlags, printReport, type PrintFlags } from "../output/print-output.ts";
import { whileWaiting } from "../output/waiting.ts";
import { chooseNode, type ChainFlags } from "./contract-node.ts";
import { deployContract, type DeployFlags } from "./deploy-contract.ts";
import {
  readContracts,
  type ContractReport,
  type DryRunCall,
  type ReadContract,
} from "./read-contracts.ts";

type ContractFlags = PrintFlags &
  ChainFlags &
  DeployFlags & { readonly check?: boolean; readonly deploy?: boolean };

export function registerContract(channels: Command): void {
  addPrintFlags(channels.command("contract"))
    .summary("show and check the contract of channels on a chain, or deploy it")
    .description(
      "Shows the code of the contracts of channels, their EIP-712 domain and a dry run of each function, which sends no transaction. --deploy creates a contract at its canonical address, from its published creation code; anyone may, with gas of their own.",
    )
    .option("--network <name>", "xdc (default) or xdc-apothem; with --rpc-url the node's chain")
    .addOption(rpcOption("node to ask"))
    .option("--check", "exit with 1 when anything differs from the published contracts")
    .option("--deploy", "deploy the contract whose creation code is in the file of --init-code")
    .option("--init-code <file>", "creation code, as hex digits or in a compiler's artifact")
    .option("--salt <hex>", "salt of the deployment (default: the published one)")
    .option("--wallet <name>", "with --deploy: pay the gas from this keystore")
    .option("--password-stdin", "read the keystore's password from standard input")
    .option("--yes", "with --deploy: do not ask")
    .action((flags: ContractFlags) => runCommand(() => contract(flags)));
}

async function contract(flags: ContractFlags): Promise<ExitCode> {
  const isDeployment = flags.deploy === true;
  if (!isDeployment && (flags.initCode !== undefined || flags.salt !== undefined)) {
    throw new UsageError("--init-code and --salt are for --deploy.");
  }
  const node = await whileWaiting("Asking for the chain", () => chooseNode(flags));
  if (!node) {
    console.error("farthing: No node answers; name one with --rpc-url.");
    return exitCodes.network;
  }
  if (isDeployment) return deployContract(flags, node);
  let report: ContractReport;
  try {
    report = await whileWaiting("Calling the contracts", () => readContracts(node));
  } catch (error) {
    console.error(`farthing: ${messageOf(error)}`);
    return exitCodes.network;
  }
  printReport(flags, report, () => textOf(report));
  return report.ok || flags.check !== true ? exitCodes.success : exitCodes.general;
}

function textOf(report: ContractReport): string {
  const { network, block, contracts, calls, domain } = report;
  const name = findNetwork(network)?.name ?? network;
  const signed = `"${domain.name}", version ${domain.version}, chain ${domain.chainId}`;
  const code = contracts.map((one) => codeRow(one, report));
  const findings = [...code, ...calls.map(callRow)];
  const parts = [
    findingText(`${name} (${network}), block ${block}`, code),
    `\n  EIP-712 domain: ${signed}, contract ${domain.verifyingContract}\n`,
    ...(calls.length === 0 ? [] : [findingText("Dry run", calls.map(callRow))]),
  ];
  return `${parts.join("")}\n${summaryText(countFindings(findings))}\n`;
}

function codeRow(
  { name, address, code, codeHash, codeBytes }: ReadContract,
  { network, deployer }: ContractReport,
): Finding {
  const there = `${address}, ${codeBytes.toLocaleString("en")} bytes, code hash ${codeHash}`;
  switch (code) {
    case "published":
      return { name, status: "ok", text: `the published contract: ${there}`, fix: "" };
    case "stand-in":
      return {
        name,
        status: "ok",
        text: `Farthing's stand-in for local chains: ${there}`,
        fix: "",
      };
    case "unknown": {
      const text = `neither the published contract nor Farthing's stand-in: ${there}`;
      return { name, status: "fail", text, fix: "Deposit nothing there, and ask another node." };
    }
    case "missing": {
      const how = `farthing channels contract --deploy --network ${network} --init-code <file>`;
      const first = deployer.isThere ? "" : ` The deployer ${deployer.address} has to come first.`;
      const fix = `Anyone may deploy it: ${how}.${first} Until then nobody can open a channel on this chain.`;
      return { name, status: "fail", text: `no contract at ${address}`, fix };
    }
    default:
      return code satisfies never;
  }
}

function callRow({ contract: owner, call, ok, expected, found }: DryRunCall): Finding {
  const name = owner === "channels" ? call : `${owner}: ${call}`;
  if (ok) return { name, status: "ok", text: found, fix: "" };
  return { name, status: "fail", text: `${found}; the published one: ${expected}`, fix: "" };
}
