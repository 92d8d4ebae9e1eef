/** `farthing dev`: sells a local API on a local chain, with everything that takes in one process. */
import { InvalidArgumentError, type Command } from "commander";
import { apiAddress } from "../input/http-url.ts";
import { loadOperator } from "../command/operator-package.ts";

interface Flags {
  readonly to: string;
  readonly price: string;
  readonly port: number;
  readonly pagePort: number;
  readonly blockTime: number;
  readonly yes?: boolean;
}

const gatewayPort = 8402;
const pagePort = 8403;
const portMax = 65_535;
/** XDC's block period. */
const blockTimeSeconds = 2;

export function register(program: Command): void {
  program
    .command("dev")
    .description(
      "Sells an API of this machine for test money until Ctrl+C: runs a local chain, a facilitator, a funded wallet and the gateway in front of the API, and a page that shows each request, payment and response and pays with a button. Its keys are public: never send anything of value to it.",
    )
    .requiredOption("--to <url>", "the API: its address, or its port on this machine")
    .option("--price <usdc>", "USDC for each request", "0.01")
    .option("--port <n>", "port of the gateway on 127.0.0.1", parsePort, gatewayPort)
    .option("--page-port <n>", "port of the page on 127.0.0.1", parsePort, pagePort)
    .option(
      "--block-time <seconds>",
      "seconds between blocks; 0: a block for each transaction",
      parseSeconds,
      blockTimeSeconds,
    )
    .option("--yes", "install the local chain's program without asking, if it is missing")
    .action(async ({ to, price, port, pagePort: page, blockTime, yes }: Flags) => {
      const operator = await loadOperator("farthing dev");
      const { prepareLocalChain } = await import("./local-chain.ts");
      const anvilFolder = await prepareLocalChain(yes);
      const { runDev } = await import("./run-dev.ts");
      await runDev(operator, {
        to: apiAddress(to),
        price,
        port,
        pagePort: page,
        blockTimeSeconds: blockTime,
        anvilFolder,
      });
    });
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port > 0 && port <= portMax) return port;
  throw new InvalidArgumentError(`Use a number from 1 to ${portMax}.`);
}

function parseSeconds(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Use a number of seconds, 0 or more.");
}
