/**
 * Configuration from a YAML file and the environment. An environment variable wins over the file;
 * `NAME_FILE` names a file with the value, for secrets. Unknown or invalid settings stop the start.
 */
import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import {
  findNetwork,
  networkOfChain,
  networks,
  parseAddress,
  parseUsdc,
  type Address,
  type ChainId,
  type Network,
} from "@farthing/protocol";
import type { WalletSource } from "@farthing/engine";
import { Fault, logLevels, misconfigured, Secret } from "@farthing/engine/base";
import { gwei } from "../payments/by-gas-price.ts";
import { feeSetting } from "../payments/settlement-fee.ts";
import { priceSource } from "../payments/xdc-price.ts";
import { readExplorer } from "./explorer.ts";
import { readKeylessLimits } from "./keyless-limits.ts";
import { readListening } from "./listening.ts";
import { readMail } from "./mail.ts";
import { readRecoverySettings } from "./recovery.ts";
import { readRetention } from "./retention.ts";
import {
  databaseUrlDefault,
  settings,
  type ReadSetting,
  type Setting,
  type SettingName,
} from "./settings-table.ts";
import { readTexts, type Environment } from "./setting-texts.ts";
import { readTraces } from "./traces.ts";
import {
  certificates,
  contactAddress,
  publicPage,
  creditUnits,
  databaseLocation,
  postgresLocation,
  xdc,
  headerValue,
  httpUrl,
  kmsKey,
  listOf,
  longSecret,
  oneOf,
  proxyAddress,
  publicOrigin,
  whole,
  yesOrNo,
} from "./values.ts";

/** XDC nodes refuse a nonce more than ten above what they have seen. */
const laneInFlightMax = 10;

/** A thousand USDC a month, for anyone who signs in. */
const maxFreeCredits = 1_000_000;

/** The effective configuration. Amounts are USDC base units; a limit that is null has no bound. */
export type Config = Readonly<NonNullable<ReturnType<typeof assemble>>>;

/** Keys of attestations. A `KeyObject` prints neither its value nor its numbers. */
export interface AttestationKeys {
  readonly signing: KeyObject;
  /** All public keys that are published, that of `signing` first. */
  readonly published: readonly KeyObject[];
}

/** Enough for years of rotation; each adds about 150 bytes to the published document. */
const attestationKeysMax = 8;

export interface NetworkConfig {
  readonly network: Network;
  readonly rpcUrls: readonly Secret[];
  /** The batch contract (experimental); undefined for Multicall3. */
  readonly batcher: Address | undefined;
  /** Undefined for links to none. */
  readonly explorerUrl: string | undefined;
}

/** The source of values; the process's environment by default. */
export interface ConfigSource {
  readonly env?: Environment;
}

/** Throws the fault `configuration` with one line per problem. */
export function readConfig({ env = process.env }: ConfigSource = {}): Config {
  const problems: string[] = [];
  const files = new Map<SettingName, string>();
  const texts = readTexts(env, problems, files);
  const read = <T>(name: SettingName, parse: (text: string) => T | undefined): T | undefined => {
    const setting = settings[name];
    const text = texts.get(name) ?? setting.fallback;
    if (text === undefined) return undefined;
    const value = parse(text.trim());
    if (value !== undefined) return value;
    const file = files.get(name);
    const { key, shape, example } = setting;
    const [subject, way] = file ? [`${file}: "${key}"`, `${key}: `] : [name, `${name}=`];
    const shown = setting.isSecret ? "" : ` is "${text}", but`;
    problems.push(`${subject}${shown} must be: ${shape}. Example: ${way}${example}`);
    return undefined;
  };
  const config = assemble(read, texts, problems);
  if (problems.length > 0 || !config) throw misconfigured(problems.join("\n"));
  return Object.freeze(config);
}

/** Reads only the database's URL. Throws `configuration`. */
export function readDatabaseUrl({ env = process.env }: ConfigSource = {}): string {
  const problems: string[] = [];
  const text = readTexts(env, problems).get("DATABASE_URL") ?? databaseUrlDefault;
  if (problems.length > 0) throw misconfigured(problems.join("\n"));
  return text;
}

/** Reads it also beside settings that this version does not know; undefined where it is unreadable. */
export function findDatabaseUrl({ env = process.env }: ConfigSource = {}): string | undefined {
  const { DATABASE_URL, DATABASE_URL_FILE, FARTHING_CONFIG } = env;
  for (const one of [env, { DATABASE_URL, DATABASE_URL_FILE, FARTHING_CONFIG }]) {
    try {
      return readDatabaseUrl({ env: one });
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
    }
  }
  return undefined;
}

/** Returns the files that variables ending in `_FILE` name, with secrets such as keys. */
export function secretFilesOf({ env = process.env }: ConfigSource = {}): string[] {
  return Object.entries(settings).flatMap(([name, setting]: [string, Setting]) => {
    const path = env[`${name}_FILE`];
    return setting.isSecret === true && path !== undefined && path !== "" ? [path] : [];
  });
}

function assemble(read: ReadSetting, texts: ReadonlyMap<string, string>, problems: string[]) {
  const served = readNetworks(read, texts, problems);
  const all = served.map(({ network }) => network);
  const wallets = readWallets(read, texts, problems);
  const metricsPort = read("FARTHING_METRICS_PORT", whole(0, 65_535));
  const mainnet = all.filter(({ chainId }) => chainId === 50);
  const treasury = read("FARTHING_TREASURY", parseAddress);
  const price = read("FARTHING_CREDITS_PER_SETTLEMENT", feeSetting);
  if (price === "auto" && !texts.has("FARTHING_XDC_PRICE")) {
    problems.push("FARTHING_CREDITS_PER_SETTLEMENT=auto needs FARTHING_XDC_PRICE.");
  }
  const retention = readRetention(read, problems);
  for (const name of ["FARTHING_WEBHOOK_INSECURE", "FARTHING_LISTING_LOCAL"]) {
    if (mainnet.length > 0 && texts.get(name) === "yes") {
      problems.push(`${name}=yes is for devnets; leave it out with eip155:50.`);
    }
  }
  const mail = readMail(read, texts, problems);
  const config = {
    ...readListening(read),
    networks: served,
    databaseUrl: read("DATABASE_URL", databaseLocation),
    confirmations: read("FARTHING_CONFIRMATIONS", whole(1, 100)),
    ...publicNetworksOf(read, all),
    hostedAuth: read("FARTHING_HOSTED_AUTH", oneOf(["none", "api-key"])),
    rateLimit: read("FARTHING_RATE_LIMIT", whole(0, 1_000_000)),
    ...readKeylessLimits(read, texts, problems),
    headAgeMaxSeconds: read("FARTHING_HEAD_AGE_MAX", whole(0, 86_400)),
    settleMarginSeconds: read("FARTHING_SETTLE_MARGIN", whole(0, 600)),
    repeatAfterSuccess: read(
      "FARTHING_REPEAT_AFTER_SUCCESS",
      oneOf(["auto", "return", "once", "refuse"]),
    ),
    creditsPerSettlement: price ?? (treasury === undefined ? 0 : 1),
    feeMarginPercent: read("FARTHING_FEE_MARGIN", whole(0, 1_000)),
    freeCredits: read("FARTHING_FREE_CREDITS", whole(0, maxFreeCredits)),
    purchaseMinUnits: read("FARTHING_PURCHASE_MIN", creditUnits),
    purchaseReviewAboveUnits: read("FARTHING_PURCHASE_REVIEW_ABOVE", (text) => parseUsdc(text)),
    webhookInsecure: read("FARTHING_WEBHOOK_INSECURE", yesOrNo),
    listingCheckMinutes: read("FARTHING_LISTING_CHECK_MINUTES", whole(1, 1_440)),
    listingLocal: read("FARTHING_LISTING_LOCAL", yesOrNo),
    ...policies(read),
    gasPerPaymentMaxWei: read("FARTHING_GAS_PER_PAYMENT_MAX", xdc),
    gasAbovePerDayMaxWei: read("FARTHING_GAS_ABOVE_PER_DAY", xdc),
    xdcPriceHoursMax: read("FARTHING_XDC_PRICE_HOURS_MAX", whole(1, 8_760)),
    ...transactionSettings(read),
    trustedProxies: read("FARTHING_TRUSTED_PROXIES", listOf(proxyAddress)) ?? [],
    connectionsPerAddress: read("FARTHING_CONNECTIONS_PER_ADDRESS", whole(0, 1_000_000)),
    metricsHost: read("FARTHING_METRICS_HOST", (text) => text || undefined),
    logLevel: read("FARTHING_LOG_LEVEL", oneOf(logLevels)),
  };
  if (!isComplete(config)) return undefined;
  const { settleMarginSeconds, metricsHost, ...rest } = config;
  return {
    ...rest,
    wallets,
    /** Undefined if no credits are sold. */
    treasury,
    ...optionalSettings(read),
    /** Undefined if no e-mail is sent. */
    mail,
    /** Undefined keeps completed settlements for ever. */
    retention,
    /** Undefined if nothing is traced. */
    traces: readTraces(read),
    metrics: metricsPort === undefined ? undefined : { host: metricsHost, port: metricsPort },
    settleMarginSeconds: BigInt(settleMarginSeconds),
  };
}

/** The networks of the public surface, and those that it has for test keys alone. */
function publicNetworksOf(read: ReadSetting, all: readonly Network[]) {
  const publicNetworks = read(
    "FARTHING_PUBLIC_NETWORKS",
    listOf((name) => all.find(({ id }) => id === name)),
  );
  if (publicNetworks) return { publicNetworks, testNetworks: [] };
  const mainnet = all.filter(({ chainId }) => chainId === 50);
  if (mainnet.length === 0) return { publicNetworks: all, testNetworks: [] };
  const testNetworks = all.filter((network) => !mainnet.includes(network));
  return { publicNetworks: mainnet, testNetworks };
}

/** What is left out where it is not configured. */
function optionalSettings(read: ReadSetting) {
  return {
    /** Undefined for the address on which the service listens. */
    publicUrl: read("FARTHING_PUBLIC_URL", publicOrigin),
    /** Undefined if the pages link to no guides. */
    docsUrl: read("FARTHING_DOCS_URL", publicPage),
    contact: read("FARTHING_CONTACT", contactAddress),
    databaseReadUrl: read("DATABASE_READ_URL", postgresLocation),
    ...readRecoverySettings(read),
    channelSecret: read("FARTHING_CHANNEL_SECRET", longSecret),
    channelKmsKey: read("FARTHING_CHANNEL_KMS_KEY", kmsKey),
    gasPriceMaxWei: read("FARTHING_GAS_PRICE_MAX", gwei),
    xdcPrice: read("FARTHING_XDC_PRICE", priceSource),
    /** PEM; undefined for the usual authorities only. */
    outboundCa: read("FARTHING_OUTBOUND_CA", certificates),
    /** Undefined if every address is served. */
    denyListFile: read("FARTHING_DENY_LIST_FILE", (text) => text || undefined),
    /** Undefined if no screening service is asked. */
    screeningUrl: read("FARTHING_SCREENING_URL", httpUrl),
    /** Undefined if no settlement is attested. */
    attestationKeys: read("FARTHING_ATTESTATION_KEYS", signingKeys),
  };
}

/** How the optional parts are used. */
function policies(read: ReadSetting) {
  return {
    screeningFailure: read("FARTHING_SCREENING_FAILURE", oneOf(["refuse", "serve"])),
    settleAttestation: read("FARTHING_SETTLE_ATTESTATION", yesOrNo),
  };
}

/** How settlements are put into transactions. */
function transactionSettings(read: ReadSetting) {
  return {
    /** The maximum number of settlements in one transaction. */
    batchMax: read("FARTHING_BATCH_MAX", whole(1, 100)),
    /** Factories that may deploy a paying wallet (experimental). */
    walletFactories: read("FARTHING_WALLET_FACTORIES", (text) =>
      text === "none" ? [] : listOf(parseAddress)(text),
    ),
    /** The maximum number of a wallet's pending transactions. */
    laneInFlight: read("FARTHING_LANE_IN_FLIGHT", whole(1, laneInFlightMax)),
    /** The maximum number of a contract wallet's pending payments. */
    contractInFlight: read("FARTHING_CONTRACT_IN_FLIGHT", whole(1, 10)),
  };
}

function isComplete<T extends object>(
  values: T,
): values is T & { readonly [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.values(values).every((value) => value !== undefined);
}

/** Returns the named networks, or all that have nodes if none is named. */
function readNetworks(
  read: ReadSetting,
  texts: ReadonlyMap<string, string>,
  problems: string[],
): NetworkConfig[] {
  const withNodes = networks.filter(({ chainId }) => texts.has(`FARTHING_RPC_${chainId}`));
  const named = read(
    "FARTHING_NETWORKS",
    listOf((name) => findNetwork(name)),
  );
  // A network may be named twice by different names, and has one engine.
  const chosen = [...new Set(named ?? withNodes)];
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
    const batcher = read(`FARTHING_BATCHER_${chainId}`, parseAddress);
    const network = networkOfChain(chainId);
    return { network, rpcUrls, batcher, explorerUrl: readExplorer(read, network, rpcUrls) };
  });
}

function rpcName(chainId: ChainId): "FARTHING_RPC_50" | "FARTHING_RPC_51" {
  return `FARTHING_RPC_${chainId}`;
}

function readWallets(
  read: ReadSetting,
  texts: ReadonlyMap<string, string>,
  problems: string[],
): WalletSource | undefined {
  const source = {
    local: readKeys(read, texts, problems),
    kmsKeys: read("FARTHING_RELAYER_KMS_KEYS", listOf(kmsKey)),
    web3signer: readWeb3Signer(read, problems),
  };
  return (source.local ?? source.kmsKeys ?? source.web3signer) ? source : undefined;
}

function readWeb3Signer(read: ReadSetting, problems: string[]): WalletSource["web3signer"] {
  const url = read("FARTHING_RELAYER_WEB3SIGNER_URL", httpUrl);
  const wallets = read("FARTHING_RELAYER_WEB3SIGNER_WALLETS", listOf(parseAddress));
  const authorization = read("FARTHING_RELAYER_WEB3SIGNER_AUTHORIZATION", headerValue);
  if (url && wallets) return { url, wallets, authorization };
  if (url ?? wallets ?? authorization) {
    problems.push(
      "FARTHING_RELAYER_WEB3SIGNER_URL and FARTHING_RELAYER_WEB3SIGNER_WALLETS belong together; set both.",
    );
  }
  return undefined;
}

function readKeys(
  read: ReadSetting,
  texts: ReadonlyMap<string, string>,
  problems: string[],
): WalletSource["local"] {
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
  refuseDuplicateKeys(keys ?? [], problems);
  if (keys) return { keys };
  return mnemonic && { mnemonic, count };
}

/** The same key twice would be two writers of one wallet. */
function refuseDuplicateKeys(keys: readonly Secret[], problems: string[]): void {
  const texts = keys.map((key) => key.expose().toLowerCase());
  for (const [index, text] of texts.entries()) {
    const first = texts.indexOf(text);
    if (first === index) continue;
    problems.push(
      `FARTHING_RELAYER_KEYS: key ${index + 1} is key ${first + 1} again; name each wallet once.`,
    );
  }
}

/** Accepts PEM blocks of Ed25519 keys, a private one first, and nothing between them. */
function signingKeys(text: string): AttestationKeys | undefined {
  const block = /-----BEGIN (PRIVATE|PUBLIC) KEY-----[^-]+-----END \1 KEY-----/g;
  const blocks = text.match(block) ?? [];
  const [first] = blocks;
  const isWhole = text.replaceAll(block, "").trim() === "" && blocks.length <= attestationKeysMax;
  if (first === undefined || !isWhole) return undefined;
  try {
    const signing = createPrivateKey(first);
    const published = blocks.map((one) => createPublicKey(one));
    const areAllEdwards = published.every((key) => key.asymmetricKeyType === "ed25519");
    return areAllEdwards ? { signing, published } : undefined;
  } catch {
    return undefined;
  }
}
