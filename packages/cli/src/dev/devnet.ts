/** `farthing devnet`: runs a local chain with stand-in USDC until Ctrl+C. */
import { InvalidArgumentError, type Command } from "commander";
import { startWaiting } from "../output/waiting.ts";

/** XDC's block period. */
const defaultBlockTimeSeconds = 2;
const portMax = 65_535;

interface Flags {
  readonly port?: number;
  readonly chainId: 50 | 51;
  readonly blockTime: number;
  readonly gasPrice?: string;
  readonly json?: boolean;
  readonly yes?: boolean;
}

export function register(program: Command): void {
  program
    .command("devnet")
    .description(
      "Runs a local chain with stand-in USDC and funded wallets until Ctrl+C. Its keys are public: never send anything of value to it.",
    )
    .option("--port <n>", "port on 127.0.0.1 (default: a free one)", parsePort)
    .option("--chain-id <n>", "51, the test network, or 50", parseChainId, 51)
    .option(
      "--block-time <seconds>",
      "seconds between blocks; 0: a block for each transaction",
      parseSeconds,
      defaultBlockTimeSeconds,
    )
    .option(
      "--gas-price <gwei>",
      "least gas price, as XDC's nodes have one; can be changed while the chain runs",
      parsePrice,
    )
    .option("--json", "print all settings as one line of JSON")
    .option("--yes", "install the local chain's program without asking, if it is missing")
    .action(run);
}

async function run(flags: Flags): Promise<void> {
  const { parseGwei, runDevnet } = await import("@farthing/devnet");
  const gasPriceWei = flags.gasPrice === undefined ? undefined : parseGwei(flags.gasPrice);
  const { prepareLocalChain } = await import("./local-chain.ts");
  const anvilFolder = await prepareLocalChain(flags.yes);
  const waiting = startWaiting("Starting the local chain");
  try {
    await runDevnet({
      ...(flags.port === undefined ? {} : { port: flags.port }),
      chainId: flags.chainId,
      blockTimeSeconds: flags.blockTime,
      ...(gasPriceWei === undefined ? {} : { gasPriceWei }),
      anvilFolder,
      json: flags.json === true,
      write(text) {
        waiting.end();
        process.stdout.write(text);
      },
    });
  } finally {
    waiting.end();
  }
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= portMax) return port;
  throw new InvalidArgumentError(`Use a number up to ${portMax}.`);
}

/** Stays a text: amounts of money are no floating-point numbers. */
function parsePrice(text: string): string {
  if (/^\d{1,5}(\.\d{1,9})?$/.test(text) && Number(text) > 0) return text;
  throw new InvalidArgumentError("Use a price in gwei above 0, such as 12.5.");
}

function parseChainId(text: string): 50 | 51 {
  if (text === "50") return 50;
  if (text === "51") return 51;
  throw new InvalidArgumentError("Use 51 or 50.");
}

function parseSeconds(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Use a number of seconds, 0 or more.");
}
