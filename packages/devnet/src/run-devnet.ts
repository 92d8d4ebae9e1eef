/** The devnet as a program. */
import { buyerUnits, nativeWei, startDevnet, type Devnet, type DevnetOptions } from "./devnet.ts";
import * as Value from "ox/Value";
import { setGasPriceMethod } from "./gas-price.ts";
import { formatUsdc } from "@farthing/protocol";
import type { DevnetWallet } from "./wallets.ts";

export interface RunOptions extends DevnetOptions {
  /** One JSON object on one line instead of the page for people. */
  json?: boolean;
  /** Standard output by default. */
  write?: (text: string) => void;
}

/** The page lists so many wallets of a kind; `--json` lists all. */
const listedMax = 5;

const weiPerCoin = 10n ** 18n;

/**
 * Prints a devnet and resolves after SIGINT (Ctrl-C), SIGTERM or SIGHUP, when no process of it is
 * left. Rejects when the chain ends by itself.
 */
export async function runDevnet(options: RunOptions = {}): Promise<void> {
  const { json = false, write = (text) => process.stdout.write(text), ...devnetOptions } = options;
  const stopSignal = untilStopSignal();
  const devnet = await startDevnet({ isGuarded: true, ...devnetOptions });
  try {
    write(json ? `${JSON.stringify(describeDevnet(devnet))}\n` : devnetPage(devnet));
    const ended = devnet.ended.then(() => {
      throw new Error("The local chain ended by itself");
    });
    await Promise.race([stopSignal, ended]);
  } finally {
    await devnet.stop();
  }
}

/** Listens at once, so that a signal during the start is not lost. */
function untilStopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      // Stays: npm passes Ctrl+C on a second time, which must not interrupt the stop.
      process.on(signal, () => resolve());
    }
  });
}

/** The keys in it are public test keys. */
export function describeDevnet(devnet: Devnet) {
  const { chainId, rpcUrl, blockTimeSeconds, token, domainSeparator, multicall3 } = devnet;
  const { buyers, relayers, seller, treasury, smartWallet, pid } = devnet;
  const network = `eip155:${chainId}`;
  const chain = { chainId, network, rpcUrl, blockTimeSeconds, token, domainSeparator, multicall3 };
  const wallets = { buyers, relayers, seller, treasury, smartWallet };
  const wei = devnet.gasPrice();
  const price = wei === undefined ? {} : { gasPriceGwei: Value.formatGwei(wei) };
  return { ...chain, ...price, ...wallets, pid, environment: environmentOf(devnet) };
}

/** Points a facilitator at this devnet. */
function environmentOf(devnet: Devnet): Record<string, string> {
  const keys = devnet.relayers.map(({ privateKey }) => privateKey).join(",");
  return {
    [`FARTHING_RPC_${devnet.chainId}`]: devnet.rpcUrl,
    FARTHING_RELAYER_KEYS: keys,
    // Webhooks and listings are tried on this machine; the service refuses both with real money.
    ...(devnet.chainId !== 50 && {
      FARTHING_WEBHOOK_INSECURE: "yes",
      FARTHING_LISTING_LOCAL: "yes",
    }),
  };
}

export function devnetPage(devnet: Devnet): string {
  const { chainId, blockTimeSeconds, smartWallet } = devnet;
  const usdc = formatUsdc(buyerUnits).replace(/\.?0+$/, "");
  const coins = `${nativeWei / weiPerCoin}`;
  const exports = Object.entries(environmentOf(devnet)).map(([name, value]) => `${name}=${value}`);
  const mainnet = chainId === 50 ? chain50Warning : [];
  const blocks = blockTimeSeconds === 0 ? "with each transaction" : `every ${blockTimeSeconds} s`;
  return [
    `Farthing devnet: a local chain with stand-in USDC`,
    ``,
    `  RPC         ${devnet.rpcUrl}`,
    `  chain id    ${chainId}   (eip155:${chainId}, a block ${blocks})`,
    `  USDC        ${devnet.token}`,
    `  Multicall3  ${devnet.multicall3}`,
    ...gasPriceLines(devnet),
    ``,
    ...mainnet,
    ...walletLines(`Buyers, ${usdc} USDC and ${coins} coins each`, devnet.buyers),
    ...walletLines(`Relayers, ${coins} coins each`, devnet.relayers),
    ...walletLines(`Seller`, [devnet.seller]),
    ...walletLines(`Treasury`, [devnet.treasury]),
    `Contract wallet (ERC-1271), ${usdc} USDC, and its owner`,
    `  ${smartWallet.address}`,
    `  ${walletLine(smartWallet.owner)}`,
    ``,
    `These keys are public. Never send anything of value to these addresses.`,
    ``,
    `For a facilitator in another terminal:`,
    ``,
    `  export ${exports.join(" ")}`,
    ``,
    `And for sellers who pay for their settlements with credits:`,
    ``,
    `  export FARTHING_TREASURY=${devnet.treasury.address}`,
    ``,
    `Ctrl-C stops the chain and forgets it.`,
    ``,
  ].join("\n");
}

/** How to change the price from another terminal, or from a script. */
function gasPriceLines(devnet: Devnet): string[] {
  const wei = devnet.gasPrice();
  if (wei === undefined) return [];
  const call = { jsonrpc: "2.0", id: 1, method: setGasPriceMethod, params: ["625"] };
  return [
    `  gas price   ${Value.formatGwei(wei)} gwei`,
    ``,
    `To step the gas price to 625 gwei, which drops cheaper transactions:`,
    ``,
    `  curl ${devnet.rpcUrl} -H 'content-type: application/json' -d '${JSON.stringify(call)}'`,
  ];
}

const chain50Warning = [
  `WARNING: chain id 50 is XDC mainnet's, and USDC is at its mainnet address. What a real wallet`,
  `signs here is a valid payment there. Use the keys below and no others.`,
  ``,
];

function walletLines(title: string, wallets: readonly DevnetWallet[]): string[] {
  const rest = wallets.length - listedMax;
  return [
    title,
    ...wallets.slice(0, listedMax).map((wallet) => `  ${walletLine(wallet)}`),
    ...(rest > 0 ? [`  and ${rest} more (--json lists all)`] : []),
    ``,
  ];
}

function walletLine({ address, privateKey }: DevnetWallet): string {
  return `${address}  ${privateKey}`;
}
