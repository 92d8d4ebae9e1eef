/** `farthing devnet`: a local chain with stand-in USDC, up until Ctrl+C. */
import { InvalidArgumentError, type Command } from "commander";

/** XDC's block period. */
const defaultBlockTimeSeconds = 2;
const portMax = 65_535;

interface Flags {
  readonly port?: number;
  readonly chainId: 50 | 51;
  readonly blockTime: number;
  readonly json?: boolean;
}

export function register(program: Command): void {
  program
    .command("devnet")
    .description(
      "Starts a local chain with stand-in USDC and wallets that hold it, and keeps it up until Ctrl+C. Its keys are public: never send anything of value there.",
    )
    .option("--port <n>", "port on 127.0.0.1; a free one without it", parsePort)
    .option("--chain-id <n>", "51, the test network, or 50", parseChainId, 51)
    .option(
      "--block-time <seconds>",
      "seconds between blocks; 0: a block with each transaction",
      parseSeconds,
      defaultBlockTimeSeconds,
    )
    .option("--json", "print every fact as one line of JSON")
    .action(async (flags: Flags) => {
      const { runDevnet } = await import("@farthing/devnet");
      await runDevnet({
        ...(flags.port === undefined ? {} : { port: flags.port }),
        chainId: flags.chainId,
        blockTimeSeconds: flags.blockTime,
        json: flags.json === true,
      });
    });
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= portMax) return port;
  throw new InvalidArgumentError(`A port is a number up to ${portMax}.`);
}

function parseChainId(text: string): 50 | 51 {
  if (text === "50") return 50;
  if (text === "51") return 51;
  throw new InvalidArgumentError("The chain id is 51 or 50.");
}

function parseSeconds(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Seconds are a number, 0 or more.");
}
