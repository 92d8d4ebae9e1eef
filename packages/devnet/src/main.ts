/** `node packages/devnet/src/main.ts [--port n] [--chain-id 50|51] [--block-time s] [--json]` */
import { parseArgs } from "node:util";
import type { ChainId } from "@farthing/protocol";
import { runDevnet, type RunOptions } from "./run-devnet.ts";

const usage = `Starts a local chain with stand-in USDC and keeps it up until Ctrl-C.

  --port <n>         port on 127.0.0.1 (default 8545)
  --chain-id <n>     51, the test network (default), or 50
  --block-time <s>   seconds between blocks (default 2); 0: a block with each transaction
  --buyers <n>       wallets with USDC (default 20)
  --relayers <n>     wallets with coins for gas (default 4)
  --json             print every fact as one line of JSON
  --help             print this
`;

/** Where Ethereum tools look for a local chain. */
const defaultPort = 8545;

function parseOptions(values: Record<string, string | boolean | undefined>): RunOptions {
  const number = (name: string, fallback: number): number => {
    const text = values[name];
    if (text === undefined) return fallback;
    if (typeof text !== "string" || !/^\d+(\.\d+)?$/.test(text)) {
      throw new Error(`--${name} must be a number, not ${text}`);
    }
    return Number(text);
  };
  return {
    port: number("port", defaultPort),
    chainId: chainIdOf(number("chain-id", 51)),
    blockTimeSeconds: number("block-time", 2),
    buyers: number("buyers", 20),
    relayers: number("relayers", 4),
    json: values["json"] === true,
  };
}

function chainIdOf(id: number): ChainId {
  if (id === 50 || id === 51) return id;
  throw new Error(`--chain-id must be 51 or 50, not ${id}`);
}

try {
  const text = { type: "string" } as const;
  const flag = { type: "boolean" } as const;
  const { values } = parseArgs({
    options: {
      port: text,
      "chain-id": text,
      "block-time": text,
      buyers: text,
      relayers: text,
      json: flag,
      help: flag,
    },
  });
  if (values.help) process.stdout.write(usage);
  else await runDevnet(parseOptions(values));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
