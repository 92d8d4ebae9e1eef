/**
 * Configuration: one table, read from a YAML file and the environment. An environment variable
 * wins over the file; `NAME_FILE` reads the value from a file, for secrets. Whatever is unknown or
 * wrong stops the start and is named with its shape and an example.
 */
import { readFileSync } from "node:fs";
import {
  findNetwork,
  networkOfChain,
  networks,
  parseUsdc,
  type ChainId,
  type Network,
} from "@farthing/protocol";
import { parse as parseYaml } from "yaml";
import { Fault } from "./base/fault.ts";
import { logLevels, type LogLevel } from "./base/log.ts";
import { Secret } from "./base/secret.ts";

/** One setting. */
interface Setting {
  /** Name in the YAML file. */
  readonly key: string;
  readonly shape: string;
  readonly example: string;
  /** Text used when nothing is set; absent for settings that may stay unset. */
  readonly fallback?: string;
  readonly isSecret?: true;
}

/** Every setting by the name of its environment variable. */
export const settings = {
  FARTHING_HOST: {
    key: "host",
    shape: "address to listen on",
    example: "0.0.0.0",
    fallback: "127.0.0.1",
  },
  FARTHING_PORT: {
    key: "port",
    shape: "port, 0 for any free one",
    example: "8402",
    fallback: "8402",
  },
  FARTHING_NETWORKS: {
    key: "networks",
    shape: "networks to serve, comma-separated: eip155:50 (XDC), eip155:51 (Apothem)",
    example: "eip155:50,eip155:51",
  },
  FARTHING_RPC_50: {
    key: "rpc50",
    shape: "JSON-RPC URLs of XDC nodes, comma-separated",
    example: "https://erpc.xinfin.network",
    isSecret: true,
  },
  FARTHING_RPC_51: {
    key: "rpc51",
    shape: "JSON-RPC URLs of Apothem nodes, comma-separated",
    example: "https://erpc.apothem.network",
    isSecret: true,
  },
  FARTHING_RELAYER_KEYS: {
    key: "relayerKeys",
    shape: "private keys of the relayer wallets, comma-separated, each 0x and 64 hex digits",
    example: "0x… (keep it in a file: FARTHING_RELAYER_KEYS_FILE=/run/secrets/relayer)",
    isSecret: true,
  },
  FARTHING_RELAYER_MNEMONIC: {
    key: "relayerMnemonic",
    shape: "BIP-39 words, instead of keys",
    example: "twelve or more words (keep them in a file: FARTHING_RELAYER_MNEMONIC_FILE=…)",
    isSecret: true,
  },
  FARTHING_RELAYER_COUNT: {
    key: "relayerCount",
    shape: "number of wallets of the mnemonic, 1 to 64",
    example: "4",
    fallback: "1",
  },
  DATABASE_URL: {
    key: "databaseUrl",
    shape: "sqlite:/path/to/file",
    example: "sqlite:/var/lib/farthing/farthing.db",
    fallback: "sqlite:./farthing.db",
    isSecret: true,
  },
  FARTHING_CONFIRMATIONS: {
    key: "confirmations",
    shape: "blocks until a payment counts as confirmed, 1 to 100",
    example: "1",
    fallback: "1",
  },
  FARTHING_PUBLIC_NETWORKS: {
    key: "publicNetworks",
    shape: "networks of the public surface, comma-separated; eip155:50 when it is served, else all",
    example: "eip155:50",
  },
  FARTHING_HOSTED_AUTH: {
    key: "hostedAuth",
    shape: "who may call the hosted or self-built surface: none or api-key",
    example: "none",
    fallback: "none",
  },
  FARTHING_RATE_LIMIT: {
    key: "rateLimit",
    shape: "requests per caller in 10 seconds, 0 for no limit",
    example: "500",
    fallback: "500",
  },
  FARTHING_PAYER_CAP: {
    key: "payerCap",
    shape: "USDC one payer may spend in 24 hours on surfaces without keys, 0 for no cap",
    example: "1000",
    fallback: "1000",
  },
  FARTHING_HEAD_AGE_MAX: {
    key: "headAgeMax",
    shape: "seconds after which a newest block makes /ready fail, 0 for never",
    example: "90",
    fallback: "90",
  },
  FARTHING_SETTLE_MARGIN: {
    key: "settleMargin",
    shape: "seconds an authorization must still be valid to be settled, 0 to 600",
    example: "6",
    fallback: "6",
  },
  FARTHING_REPEAT_AFTER_SUCCESS: {
    key: "repeatAfterSuccess",
    shape: "what a repeat of a confirmed settle answers: return (the first result) or refuse",
    example: "return",
    fallback: "return",
  },
  FARTHING_GAS_PRICE_MAX: {
    key: "gasPriceMax",
    shape: "highest gas price in gwei, at least 12.5",
    example: "100",
    fallback: "100",
  },
  FARTHING_TRUSTED_PROXIES: {
    key: "trustedProxies",
    shape: "addresses of proxies whose X-Forwarded-For is believed, comma-separated",
    example: "10.0.0.0/8",
  },
  FARTHING_LOG_LEVEL: {
    key: "logLevel",
    shape: logLevels.join(", "),
    example: "info",
    fallback: "info",
  },
} as const satisfies Record<string, Setting>;

/** Names of settings. */
export type SettingName = keyof typeof settings;

/** Variables of other parts of Farthing, which may stand in the same environment. */
const foreignNames = new Set([
  "FARTHING_CONFIG",
  "FARTHING_WALLET_KEY",
  "FARTHING_WALLET_KEY_FILE",
]);

/** XDC refuses a gas price below 12.5 gwei. */
export const gasPriceFloorWei = 12_500_000_000n;

/** The effective configuration. */
export interface Config {
  readonly host: string;
  readonly port: number;
  readonly networks: readonly NetworkConfig[];
  readonly wallets:
    | { readonly keys: readonly Secret[] }
    | { readonly mnemonic: Secret; readonly count: number }
    | undefined;
  readonly databaseUrl: string;
  readonly confirmations: number;
  readonly publicNetworks: readonly Network[];
  readonly hostedAuth: "none" | "api-key";
  readonly rateLimit: number;
  /** USDC base units; null for no cap. */
  readonly payerCapUnits: bigint | null;
  readonly headAgeMaxSeconds: number;
  readonly settleMarginSeconds: bigint;
  readonly repeatAfterSuccess: "return" | "refuse";
  readonly gasPriceMaxWei: bigint;
  readonly trustedProxies: readonly string[];
  readonly logLevel: LogLevel;
}

/** A network with its nodes. */
export interface NetworkConfig {
  readonly network: Network;
  readonly rpcUrls: readonly Secret[];
}

/** Where values come from; the process's own environment when left out. */
export interface ConfigSource {
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Reads the configuration. Throws the fault `configuration` with one line per thing that is wrong. */
export function readConfig({ env = process.env }: ConfigSource = {}): Config {
  const problems: string[] = [];
  const texts = readTexts(env, problems);
  const read = <T>(name: SettingName, parse: (text: string) => T | undefined): T | undefined => {
    const setting: Setting = settings[name];
    const text = texts.get(name) ?? setting.fallback;
    if (text === undefined) return undefined;
    const value = parse(text.trim());
    if (value !== undefined) return value;
    const shown = setting.isSecret ? "" : ` is "${text}", but`;
    problems.push(`${name}${shown} must be: ${setting.shape}. Example: ${name}=${setting.example}`);
    return undefined;
  };
  const config = assemble(read, texts, problems);
  if (problems.length > 0 || !config) {
    throw new Fault("configuration", problems.join("\n"), { retryable: false });
  }
  return Object.freeze(config);
}

type Read = <T>(name: SettingName, parse: (text: string) => T | undefined) => T | undefined;

function assemble(
  read: Read,
  texts: ReadonlyMap<string, string>,
  problems: string[],
): Config | undefined {
  const served = readNetworks(read, texts, problems);
  const all = served.map(({ network }) => network);
  const wallets = readWallets(read, texts, problems);
  const mainnet = all.filter(({ chainId }) => chainId === 50);
  const config = {
    host: read("FARTHING_HOST", (text) => text || undefined),
    port: read("FARTHING_PORT", whole(0, 65_535)),
    networks: served,
    databaseUrl: read("DATABASE_URL", (text) => (/^sqlite:.+$/.test(text) ? text : undefined)),
    confirmations: read("FARTHING_CONFIRMATIONS", whole(1, 100)),
    publicNetworks:
      read(
        "FARTHING_PUBLIC_NETWORKS",
        listOf((name) => all.find(({ id }) => id === name)),
      ) ?? (mainnet.length > 0 ? mainnet : all),
    hostedAuth: read("FARTHING_HOSTED_AUTH", oneOf(["none", "api-key"])),
    rateLimit: read("FARTHING_RATE_LIMIT", whole(0, 1_000_000)),
    payerCapUnits: read("FARTHING_PAYER_CAP", (text) => parseUsdc(text)),
    headAgeMaxSeconds: read("FARTHING_HEAD_AGE_MAX", whole(0, 86_400)),
    settleMarginSeconds: read("FARTHING_SETTLE_MARGIN", whole(0, 600)),
    repeatAfterSuccess: read("FARTHING_REPEAT_AFTER_SUCCESS", oneOf(["return", "refuse"])),
    gasPriceMaxWei: read("FARTHING_GAS_PRICE_MAX", gwei),
    trustedProxies:
      read(
        "FARTHING_TRUSTED_PROXIES",
        listOf((text) => text),
      ) ?? [],
    logLevel: read("FARTHING_LOG_LEVEL", oneOf(logLevels)),
  };
  if (problems.length > 0) return undefined;
  const { payerCapUnits, settleMarginSeconds, ...rest } = config as Required<typeof config>;
  return {
    ...(rest as Omit<Config, "wallets" | "payerCapUnits" | "settleMarginSeconds">),
    wallets,
    payerCapUnits: payerCapUnits === 0n || payerCapUnits === undefined ? null : payerCapUnits,
    settleMarginSeconds: BigInt(settleMarginSeconds ?? 0),
  };
}

/** The networks that are named, or those that have nodes when none are. */
function readNetworks(
  read: Read,
  texts: ReadonlyMap<string, string>,
  problems: string[],
): NetworkConfig[] {
  const withNodes = networks.filter(({ chainId }) => texts.has(`FARTHING_RPC_${chainId}`));
  const named = read(
    "FARTHING_NETWORKS",
    listOf((name) => findNetwork(name)),
  );
  const chosen = named ?? withNodes;
  if (chosen.length === 0 && problems.length === 0) {
    problems.push(
      "No network is configured; name a node. Example: FARTHING_NETWORKS=eip155:51 FARTHING_RPC_51=https://erpc.apothem.network",
    );
  }
  return chosen.map(({ chainId }) => {
    const name = rpcName(chainId);
    const rpcUrls = read(name, listOf(httpUrl)) ?? [];
    if (!texts.has(name))
      problems.push(
        `${name} is missing: ${settings[name].shape}. Example: ${name}=${settings[name].example}`,
      );
    return { network: networkOfChain(chainId), rpcUrls };
  });
}

function rpcName(chainId: ChainId): "FARTHING_RPC_50" | "FARTHING_RPC_51" {
  return chainId === 50 ? "FARTHING_RPC_50" : "FARTHING_RPC_51";
}

function readWallets(
  read: Read,
  texts: ReadonlyMap<string, string>,
  problems: string[],
): Config["wallets"] {
  const keys = read(
    "FARTHING_RELAYER_KEYS",
    listOf((text) => (/^0x[0-9a-fA-F]{64}$/.test(text) ? new Secret(text) : undefined)),
  );
  const mnemonic = read("FARTHING_RELAYER_MNEMONIC", (text) =>
    /^\S+(\s+\S+){11,23}$/.test(text) ? new Secret(text) : undefined,
  );
  const count = read("FARTHING_RELAYER_COUNT", whole(1, 64)) ?? 1;
  if (texts.has("FARTHING_RELAYER_KEYS") && texts.has("FARTHING_RELAYER_MNEMONIC")) {
    problems.push("Set FARTHING_RELAYER_KEYS or FARTHING_RELAYER_MNEMONIC, not both.");
  }
  if (keys) return { keys };
  return mnemonic && { mnemonic, count };
}

function whole(least: number, most: number) {
  return (text: string): number | undefined => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    return value >= least && value <= most ? value : undefined;
  };
}

function oneOf<const T extends string>(choices: readonly T[]) {
  return (text: string): T | undefined => choices.find((choice) => choice === text);
}

function listOf<T>(parse: (text: string) => T | undefined) {
  return (text: string): T[] | undefined => {
    const parts = text
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== "");
    const values = parts.map(parse).filter((value) => value !== undefined);
    return parts.length > 0 && values.length === parts.length ? values : undefined;
  };
}

function httpUrl(text: string): Secret | undefined {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? "") ? new Secret(text) : undefined;
}

function gwei(text: string): bigint | undefined {
  const match = /^(\d{1,6})(?:\.(\d{1,9}))?$/.exec(text);
  if (!match) return undefined;
  const wei = BigInt(`${match[1]}${(match[2] ?? "").padEnd(9, "0")}`);
  return wei >= gasPriceFloorWei ? wei : undefined;
}

/** Gathers the texts of all settings: file first, then environment, then `_FILE` variables. */
function readTexts(
  env: NonNullable<ConfigSource["env"]>,
  problems: string[],
): Map<SettingName, string> {
  const texts = readYaml(env["FARTHING_CONFIG"], problems);
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || foreignNames.has(name)) continue;
    const plain = name.replace(/_FILE$/, "");
    const setting = isSettingName(name) ? name : isSettingName(plain) ? plain : undefined;
    if (!setting) {
      if (name.startsWith("FARTHING_"))
        problems.push(
          `${name} is no setting. There are: ${Object.keys(settings).join(", ")}, each also with _FILE.`,
        );
      continue;
    }
    if (setting !== name && env[setting] !== undefined) {
      problems.push(`Set ${setting} or ${name}, not both.`);
    } else if (value !== "")
      texts.set(setting, setting === name ? value : readSecretFile(name, value, problems));
  }
  return texts;
}

function readSecretFile(name: string, path: string, problems: string[]): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    problems.push(`${name}: the file ${path} cannot be read; check the path and its rights.`);
    return "";
  }
}

function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(settings, name);
}

/** Reads the YAML file: the same settings under their short names, lists as YAML lists. */
function readYaml(path: string | undefined, problems: string[]): Map<SettingName, string> {
  const texts = new Map<SettingName, string>();
  if (path === undefined || path === "") return texts;
  const names = new Map(
    Object.entries(settings).map(([name, { key }]) => [key as string, name as SettingName]),
  );
  for (const [key, value] of Object.entries(parseFile(path, problems))) {
    const name = names.get(key);
    const text = Array.isArray(value) ? value.map(String).join(",") : value;
    if (!name)
      problems.push(`${path}: "${key}" is no setting. There are: ${[...names.keys()].join(", ")}.`);
    else if (typeof text === "object" || text === null)
      problems.push(`${path}: "${key}" must be a value or a list of values.`);
    else texts.set(name, String(text));
  }
  return texts;
}

function parseFile(path: string, problems: string[]): Readonly<Record<string, unknown>> {
  try {
    // Numbers stay text, so that a key or an amount is never rounded.
    const value: unknown = parseYaml(readFileSync(path, "utf8"), { schema: "failsafe" });
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
    problems.push(`FARTHING_CONFIG: ${path} must hold settings as "name: value" lines.`);
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
    problems.push(`FARTHING_CONFIG: ${path} cannot be read: ${reason}`);
  }
  return {};
}
