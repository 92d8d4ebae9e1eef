/** The options of `farthing gateway` that take the place of a file. */
import {
  loadGatewayConfig,
  readOneUpstream,
  writeOneUpstreamFile,
  type GatewayConfig,
  type OneUpstream,
  type OneUpstreamSetting,
} from "@farthing/gateway";
import { defined } from "@farthing/protocol";
import { Option, type Command } from "commander";
import { apiAddress } from "../input/http-url.ts";

export interface ConfigOptions {
  readonly config: string;
  readonly to?: string;
  readonly price?: string;
  readonly payTo?: string;
  readonly facilitator?: readonly string[];
  readonly network?: string;
  readonly listen?: string;
  readonly publicUrl?: string;
  readonly printConfig?: boolean;
}

export const configDefault = "gateway.yaml";

const defaults = { facilitator: ["embedded"], network: "eip155:50", listen: "127.0.0.1:8402" };

const flagNames: Readonly<Record<OneUpstreamSetting, string>> = {
  to: "--to",
  price: "--price",
  payTo: "--pay-to",
  facilitator: "--facilitator",
  network: "--network",
  listen: "--listen",
  publicUrl: "--public-url",
  apiKey: "FARTHING_API_KEY",
  store: "store",
};

/** Options that mean nothing with a file. */
const withoutFile = ["price", "payTo", "facilitator", "network", "listen", "publicUrl"] as const;

export function addConfigOptions(command: Command): Command {
  return command
    .option("-c, --config <file>", "the configuration", configDefault)
    .addOption(
      new Option(
        "--to <url, port or folder>",
        "sell every path of the API at this address or port of this machine, or the files of this folder, without a configuration file; needs --price and --pay-to",
      ).conflicts("config"),
    )
    .option("--price <usdc>", "with --to: USDC for each request, for example 0.01")
    .option("--pay-to <address>", "with --to: address that receives the payments")
    .option(
      "--facilitator <url>",
      `with --to: the facilitator's base address, which gets the key in FARTHING_API_KEY, or embedded; again for the next one in order, which gets the key in FARTHING_API_KEY_2 (default: ${defaults.facilitator.join("")})`,
      (one: string, before: readonly string[] | undefined) => [...(before ?? []), one],
    )
    .option(
      "--network <network>",
      `with --to: eip155:50 or eip155:51 (default: ${defaults.network})`,
    )
    .option("--listen <host:port>", `with --to: for buyers (default: ${defaults.listen})`)
    .option(
      "--public-url <url>",
      "with --to: address at which buyers reach the gateway (default: where it listens, if that is this machine)",
    )
    .option("--print-config", "with --to: print the file that the options stand for, and end");
}

/** Where the configuration comes from. `file` is undefined for options. */
export interface ConfigSource {
  readonly file: string | undefined;
  /** Throws GatewayConfigError. */
  load(): GatewayConfig;
  /** Undefined for a file. */
  readonly text: string | undefined;
}

/** Ends the command, by Commander's error, for options that do not fit together. */
export function configSource(options: ConfigOptions, command: Command): ConfigSource {
  const { config: file, to, price, payTo, printConfig } = options;
  if (to === undefined) {
    const alone = withoutFile.find((name) => options[name] !== undefined);
    if (alone !== undefined) command.error(`error: ${flagNames[alone]} needs --to`);
    if (printConfig === true) command.error("error: --print-config needs --to");
    return { file, load: () => loadGatewayConfig(file, process.env), text: undefined };
  }
  if (price === undefined || payTo === undefined) {
    return command.error("error: --to needs --price and --pay-to");
  }
  const { facilitator, network, listen, publicUrl } = { ...defaults, ...defined(options) };
  const own = { to: apiAddress(to), price, payTo, facilitator, network, listen };
  const settings: OneUpstream = { ...own, ...defined({ publicUrl }) };
  return {
    file: undefined,
    load: () => readOneUpstream(settings, process.env, (name) => flagNames[name]),
    text: writeOneUpstreamFile(settings, process.env),
  };
}
