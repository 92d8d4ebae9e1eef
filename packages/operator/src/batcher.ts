/** `farthing batcher`: deploys the batch contract, which is experimental. */
import { deployBatcher } from "@farthing/facilitator";
import type { Command } from "commander";
import { whileWaiting } from "farthing/program";
import { readNetworkId, reportFaults } from "./database.ts";

interface DeployFlags {
  readonly network: string;
  readonly json: boolean;
}

export function register(program: Command): void {
  program
    .command("batcher")
    .description(
      "Manages the batch contract, with which payments of contract wallets share transactions. Experimental: the contract is not audited.",
    )
    .command("deploy")
    .description(
      "deploy the contract with a relayer wallet that no running facilitator works, and print its address; a contract that is deployed already is left as it is",
    )
    .requiredOption("--network <id>", "eip155:50 (XDC) or eip155:51 (Apothem)", readNetworkId)
    .option("--json", "print one JSON object", false)
    .action((flags: DeployFlags) => reportFaults("batcher", () => deploy(flags)));
}

async function deploy({ network, json }: DeployFlags): Promise<void> {
  const { address, codeHash, transaction } = await whileWaiting(
    "Deploying the batch contract",
    () => deployBatcher(network),
  );
  if (json) return console.log(JSON.stringify({ network, address, codeHash, transaction }));
  console.log(address);
  const how = transaction === null ? "was deployed before" : `deployed by ${transaction}`;
  const setting = `FARTHING_BATCHER_${network.slice(network.indexOf(":") + 1)}`;
  console.error(
    `The batch contract ${how}; its code hash is ${codeHash}. It is experimental. To use it, set ${setting}=${address} and restart the facilitator.`,
  );
}
