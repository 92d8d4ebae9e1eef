/** `farthing-operator init`: writes a folder in which `docker compose up` runs a service with TLS. */
import { resolve } from "node:path";
import { defined, findNetwork, parseUsdc, shellCommand, type Network } from "@farthing/protocol";
import { settings } from "@farthing/facilitator";
import { Fault } from "@farthing/facilitator/operator";
import { InvalidArgumentError, Option, type Command } from "commander";
import { askSecret, askText, isTerminal } from "farthing/program";
import { readAccount, reportFaults } from "./database.ts";
import { writeServiceFolder, type Sale, type Service } from "./service-folder.ts";

/** As many as the service takes from a mnemonic. */
const walletsMax = 64;

/** What the options say, as their readers return it. */
interface Flags {
  readonly facilitator?: true;
  readonly postgres?: true;
  readonly gateway?: true;
  readonly domain?: string;
  readonly network?: Network;
  readonly rpc?: string;
  readonly wallets: number;
  readonly to?: string;
  readonly price?: string;
  readonly payTo?: Sale["payTo"];
  readonly facilitatorUrl?: string;
  readonly yes: boolean;
}

/** What a gateway needs. */
const ofGateway = { to: "--to", price: "--price", payTo: "--pay-to" } as const;

/** Options that mean nothing without a gateway. */
const gatewayOnly = Object.entries({ ...ofGateway, facilitatorUrl: "--facilitator-url" });

export function register(program: Command): void {
  program
    .command("init")
    .description(
      "Writes a folder that runs a service in containers: a facilitator, or a gateway that sells an API, behind Caddy, which gets certificates for the domain name. The folder has Compose files, settings and new secrets. On a terminal, the command asks for what no option says. It never replaces a file and prints no secret. It also reads endpoints from FARTHING_RPC_50 or FARTHING_RPC_51, and a facilitator's API key from FARTHING_API_KEY.",
    )
    .argument("[folder]", "the new folder", "farthing")
    .addOption(
      new Option("--facilitator", "a facilitator with SQLite (the default)").conflicts([
        "postgres",
        "gateway",
      ]),
    )
    .addOption(new Option("--postgres", "a facilitator with PostgreSQL").conflicts("gateway"))
    .option("--gateway", "a gateway that sells an API, with a facilitator inside")
    .option("--domain <name>", "the public name, such as pay.example.com", readDomain)
    .option("--network <id>", "eip155:51 (test money, the default) or eip155:50", readNetwork)
    .option("--rpc <urls>", "nodes of the network, comma-separated", readNodes)
    .option("--wallets <count>", "number of relayer wallets", readCount, 1)
    .option("--to <url>", "with --gateway: the API that it sells", readService)
    .option("--price <usdc>", "with --gateway: USDC for each request, such as 0.01", readPrice)
    .option("--pay-to <address>", "with --gateway: who gets the payments", readAccount)
    .option(
      "--facilitator-url <url>",
      "with --gateway: another facilitator, in place of the one inside",
      readService,
    )
    .option("--yes", "ask nothing, and take the defaults", false)
    .action((folder: string, flags: Flags, command: Command) => {
      const alone = gatewayOnly.find(([name]) => Object.hasOwn(flags, name));
      if (alone && flags.gateway !== true) command.error(`error: ${alone[1]} needs --gateway`);
      return reportFaults("init", () => init(folder, flags), "farthing-operator");
    });
}

async function init(folder: string, flags: Flags): Promise<void> {
  if (!mayAsk(flags)) demandAll(flags);
  const service = await complete(flags);
  const target = resolve(folder);
  const relayers = writeServiceFolder(target, service);
  for (const address of relayers) console.log(address);
  console.error(nextSteps(folder, target, service, relayers.length));
}

const mayAsk = ({ yes }: Flags): boolean => !yes && isTerminal();

/** Throws the fault `configuration` for what has no default. */
function demandAll({ gateway, ...flags }: Flags): void {
  const required = { domain: "--domain", ...(gateway && ofGateway) };
  const missing = Object.entries(required)
    .filter(([name]) => !Object.hasOwn(flags, name))
    .map(([, option]) => option);
  if (missing.length === 0) return;
  throw new Fault("configuration", `Set ${missing.join(", ")}. Nothing was written.`);
}

/** Asks for what the options leave open, or takes its default. */
async function complete(flags: Flags): Promise<Service> {
  const { wallets } = flags;
  const isAsking = mayAsk(flags);
  const ask = <T>(given: T | undefined, question: string, parse: Parse<T>, fallback?: string) =>
    given ?? (isAsking ? askUntil(question, parse, fallback) : parse(fallback ?? ""));
  const kind = await ask(
    chosenKind(flags),
    "What to run: facilitator, postgres (a facilitator with PostgreSQL) or gateway",
    readKind,
    "facilitator",
  );
  const domain = await ask(flags.domain, "Domain name, such as pay.example.com", readDomain);
  const network = await ask(
    flags.network,
    "Network: eip155:51 is for test money, eip155:50 is XDC mainnet",
    readNetwork,
    "eip155:51",
  );
  const sale =
    kind === "gateway"
      ? {
          to: await ask(flags.to, "Address of the API to sell", readService),
          price: await ask(flags.price, "USDC for each request", readPrice, "0.01"),
          payTo: await ask(flags.payTo, "Your address, which gets the payments", readAccount),
          ...defined({ remote: await remoteOf(flags, isAsking) }),
        }
      : undefined;
  const rpc = sale?.remote
    ? ""
    : await ask(
        flags.rpc ?? nodesOfEnvironment(network),
        "RPC endpoints, comma-separated",
        readNodes,
        settings[rpcVariable(network)].example,
      );
  return { kind, domain, network, rpc, wallets, ...defined({ sale }) };
}

const rpcVariable = ({ chainId }: Network) => `FARTHING_RPC_${chainId}` as const;

function nodesOfEnvironment(network: Network): string | undefined {
  const text = process.env[rpcVariable(network)];
  if (text === undefined || text === "") return undefined;
  try {
    return readNodes(text);
  } catch (cause) {
    // The value may have a key in it.
    const { message } = cause instanceof InvalidArgumentError ? cause : { message: "" };
    throw new Fault("configuration", `${rpcVariable(network)} cannot be used. ${message}`);
  }
}

async function remoteOf(
  { facilitatorUrl: url }: Flags,
  isAsking: boolean,
): Promise<Sale["remote"]> {
  if (url === undefined) return undefined;
  const own = process.env["FARTHING_API_KEY"];
  const apiKey = own ?? (isAsking ? await askSecret(`API key for ${url} (Enter for none): `) : "");
  return { url, apiKey: apiKey.trim() || undefined };
}

function chosenKind({ facilitator, postgres, gateway }: Flags): Service["kind"] | undefined {
  if (gateway) return "gateway";
  if (postgres) return "postgres";
  return facilitator && "facilitator";
}

/** Throws Commander's InvalidArgumentError. */
type Parse<T> = (text: string) => T;

async function askUntil<T>(question: string, parse: Parse<T>, fallback?: string): Promise<T> {
  for (;;) {
    try {
      return parse(await askText(question, fallback));
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      console.error(error.message);
    }
  }
}

function nextSteps(folder: string, target: string, service: Service, wallets: number): string {
  const { domain, network, kind, sale } = service;
  const name = kind === "gateway" ? "gateway" : "facilitator";
  const check = sale?.remote ? "gateway check --online /etc/farthing/gateway.yaml" : "doctor";
  const fund =
    wallets === 0
      ? []
      : [
          wallets === 1
            ? `The address above is the relayer wallet, which pays the gas: send it XDC on ${network.id}.`
            : `The addresses above are the relayer wallets, which pay the gas: send each XDC on ${network.id}.`,
          "Keep a copy of the folder secrets away from this machine.",
        ];
  return [
    `Written to ${target}.`,
    ...fund,
    `Let ${domain} lead to this machine, with ports 80 and 443 open. Then:`,
    "",
    `  ${shellCommand(["cd", folder])}`,
    "  docker compose up -d",
    `  docker compose run --rm ${name} ${check}`,
    "",
  ].join("\n");
}

function readKind(text: string): Service["kind"] {
  const kind = (["facilitator", "postgres", "gateway"] as const).find((one) => one === text);
  if (kind) return kind;
  throw new InvalidArgumentError("Use facilitator, postgres or gateway.");
}

function readDomain(text: string): string {
  const name = text.trim().toLowerCase();
  const isName =
    /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])$/.test(
      name,
    );
  if (isName) return name;
  throw new InvalidArgumentError("Use a public name without https://, such as pay.example.com.");
}

function readNetwork(text: string): Network {
  const network = findNetwork(text.trim());
  if (network?.id === text.trim()) return network;
  throw new InvalidArgumentError("Use eip155:51 or eip155:50.");
}

function readCount(text: string): number {
  const count = /^\d{1,2}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= walletsMax) return count;
  throw new InvalidArgumentError(`Use a number from 1 to ${walletsMax}.`);
}

function readPrice(text: string): string {
  const units = parseUsdc(text.trim());
  if (units !== undefined && units > 0n) return text.trim();
  throw new InvalidArgumentError("Use USDC with at most six decimals, such as 0.01.");
}

function readNodes(text: string): string {
  return text
    .split(",")
    .filter((one) => one.trim() !== "" || text.trim() === "")
    .map(readService)
    .join(",");
}

/** An address that a container can call. */
function readService(text: string): string {
  const url = URL.parse(text.trim());
  if (!url || !/^https?:$/.test(url.protocol) || /["\s]/.test(text.trim())) {
    throw new InvalidArgumentError("Use an http or https URL.");
  }
  if (/^(localhost|.*\.localhost|127\..*|0\.0\.0\.0|\[::1?\])$/.test(url.hostname)) {
    throw new InvalidArgumentError(
      "A container reaches itself at this address. Use the host host.docker.internal for this machine, and let the program there listen on an address that containers reach.",
    );
  }
  return text.trim();
}
