/**
 * Checks of everything that a facilitator with this configuration depends on. They send no transaction
 * and show no secret: nodes are named by position and host.
 */
import { connectionsWithin, type Address, type Network } from "@farthing/protocol";
import {
  balanceLine,
  type Chain,
  checkClock,
  checkEndpoint,
  checkRate,
  checkToken,
  compareHeads,
  createChain,
  createRpcEndpoint,
  checkBatchContract,
  findMulticall,
  rateSecondsDefault,
  readBalances,
  readGasPrice,
  type Signer,
  gasPriceFloorWei,
  ceilingOf,
} from "@farthing/engine";
import {
  type CheckLine,
  type Clock,
  fail,
  messageOf,
  ok,
  type Secret,
  silentLog,
  systemClock,
  warn,
} from "@farthing/engine/base";
import {
  readConfig,
  secretFilesOf,
  type Config,
  type ConfigSource,
  type NetworkConfig,
} from "../config/config.ts";
import { openFilesMax } from "../http/server/connections.ts";
import { costLine } from "./doctor-costs.ts";
import { checkDatabase, checkReadServer } from "./doctor-database.ts";
import { checkMail } from "./doctor-mail.ts";
import { checkFiles } from "./doctor-files.ts";
import { checkCollector } from "./doctor-traces.ts";
import { checkChannelKey, checkNonces, gasNeedsAt, openWallets } from "./doctor-wallets.ts";

export interface CheckSection {
  readonly title: string;
  readonly lines: readonly CheckLine[];
}

export interface ExamineOptions {
  readonly clock?: Clock;
  /** Duration of the rate check of each endpoint; {@link rateSecondsDefault} by default. */
  readonly rateSeconds?: number;
  /** Repairs what can be repaired without a decision: who may read files. */
  readonly isFixing?: boolean;
}

/**
 * Yields each section when its checks are complete. Throws nothing. Changes nothing but, with
 * `isFixing`, the rights of files.
 */
export async function* examine(
  source: ConfigSource = {},
  { clock = systemClock, rateSeconds = rateSecondsDefault, isFixing = false }: ExamineOptions = {},
): AsyncGenerator<CheckSection> {
  let config: Config;
  try {
    config = readConfig(source);
  } catch (error) {
    const fix = "see docs/reference/configuration.md; the rest is looked at once this is right";
    const problems = messageOf(error).split("\n");
    const lines = problems.map((text, at) =>
      fail("setting", text, at === problems.length - 1 ? fix : ""),
    );
    yield { title: "configuration", lines };
    return;
  }
  const wallets = await openWallets(config);
  const collector = await checkCollector(config.traces);
  const keys = [...wallets.lines, ...(await checkChannelKey(config))];
  const settingLines = [...configLines(config), ...filesLines(), ...keys, ...collector];
  yield { title: "configuration", lines: settingLines };
  const addresses = wallets.signers.map(({ address }) => address);
  const database = await checkDatabase(config.databaseUrl, clock, addresses);
  const files = checkFiles(config.databaseUrl, secretFilesOf(source), isFixing);
  const readServer = await checkReadServer(config.databaseReadUrl);
  yield { title: "database", lines: [...database.lines, ...readServer, ...files] };
  if (config.mail) yield { title: "mail", lines: await checkMail(config, config.mail) };
  const deps = { config, clock, rateSeconds, signers: wallets.signers };
  for (const network of config.networks) yield* examineNetwork(network, deps);
}

interface ExamineDeps {
  readonly config: Config;
  readonly clock: Clock;
  readonly rateSeconds: number;
  readonly signers: readonly Signer[];
}

function configLines({ networks, publicNetworks, hostedAuth, rateLimit }: Config): CheckLine[] {
  const lines = networks.map(({ network, rpcUrls }) =>
    rpcUrls.length > 1
      ? ok(network.id, `${network.name}, ${rpcUrls.length} endpoints`)
      : warn(
          network.id,
          `${network.name}, one endpoint`,
          `name a second one in FARTHING_RPC_${network.chainId}: nothing can stand in for it, and nothing can contradict it`,
        ),
  );
  const plaintext = networks.flatMap(({ network, rpcUrls }) =>
    rpcUrls
      .filter(isReadableOnTheWay)
      .map((url) =>
        warn(
          network.id,
          `${hostOf(url)} is asked without TLS`,
          "use https, or a node on this machine",
        ),
      ),
  );
  const open =
    hostedAuth === "none" && rateLimit === 0
      ? [
          warn(
            "limits",
            "anybody may send any number of requests",
            "set FARTHING_RATE_LIMIT, or FARTHING_HOSTED_AUTH=api-key",
          ),
        ]
      : [ok("surfaces", `public on ${publicNetworks.map(({ id }) => id).join(", ")}`)];
  return [...lines, ...plaintext, ...open];
}

/**
 * A caller who waits for an outcome holds a connection for two blocks and more: a thousand callers are
 * 250 payments a second at once.
 */
const callersFew = 1_000;

/** Of a process that the same user starts here; a service manager may set another limit. */
function filesLines(): CheckLine[] {
  const filesMax = openFilesMax();
  if (filesMax === undefined) return [];
  const callers = connectionsWithin(filesMax);
  const text = `${filesMax}, of which callers get ${callers} connections`;
  if (callers >= callersFew) return [ok("open files", text)];
  return [
    warn("open files", text, "raise LimitNOFILE of the service, or `ulimit -n`, to 65536 or more"),
  ];
}

/** Tells whether third parties can read and change the traffic: plain http beyond private names. */
function isReadableOnTheWay(url: Secret): boolean {
  const { protocol, hostname } = new URL(url.expose());
  const isNear =
    !hostname.includes(".") || /^(127|10|192\.168|172\.(1[6-9]|2\d|3[01]))\./.test(hostname);
  return protocol === "http:" && !isNear;
}

function hostOf(url: Secret): string {
  return new URL(url.expose()).host;
}

async function* examineNetwork(
  { network, rpcUrls, batcher }: NetworkConfig,
  deps: ExamineDeps,
): AsyncGenerator<CheckSection> {
  const { config, clock, rateSeconds: seconds } = deps;
  const expected = {
    network,
    clock,
    gasPriceFloor: gasPriceFloorWei,
    gasPriceCeiling: ceilingOf(config),
    headAgeMax: config.headAgeMaxSeconds,
    wallets: deps.signers.length,
  };
  const reports = await Promise.all(
    rpcUrls.map((url, index) => checkEndpoint(createRpcEndpoint({ url, index }), expected)),
  );
  for (const [index, { lines }] of reports.entries()) {
    const url = rpcUrls[index];
    yield { title: `${network.id} endpoint ${index} (${url ? hostOf(url) : ""})`, lines };
  }
  const endpoints = reports.flatMap(({ endpoint, head }) => (head === undefined ? [] : [endpoint]));
  if (endpoints.length === 0) {
    const fix = `put a working node of ${network.name} into FARTHING_RPC_${network.chainId}`;
    const text = "no endpoint can be used; token and wallets were not looked at";
    yield { title: `${network.id} chain`, lines: [fail("endpoints", text, fix)] };
    return;
  }
  const chain = createChain({ network, endpoints, log: silentLog, clock });
  yield {
    title: `${network.id} chain`,
    lines: [...compareHeads(reports, maxLagBlocks), ...(await checkChain(chain, deps, batcher))],
  };
  const readCosts = async () => [await costLine(await readGasPrice(chain), config, clock)];
  yield { title: `${network.id} costs`, lines: await guarded("costs", readCosts) };
  const wallets = await guarded("wallets", () => checkWallets(chain, deps));
  if (wallets.length > 0) yield { title: `${network.id} wallets`, lines: wallets };
  // Last, because an endpoint may refuse requests after its limit is reached.
  const rates = await Promise.all(endpoints.map((one) => checkRate(one, { clock, seconds })));
  yield { title: `${network.id} load`, lines: rates };
}

/** Endpoints that are asked at the same time see the same block or one beside it. */
const maxLagBlocks = 3;

async function checkChain(
  chain: Chain,
  { config, clock }: ExamineDeps,
  batcher: Address | undefined,
): Promise<CheckLine[]> {
  const groups = await Promise.all([
    guarded("token", async () => withoutChainId(await checkToken(chain))),
    guarded("batching", async () => [await batchingLine(chain, config, batcher)]),
    batcher === undefined
      ? []
      : guarded("batch contract", async () => [await checkBatchContract(chain, batcher)]),
    guarded("clock", async () => [await checkClock(chain, clock)]),
  ]);
  return groups.flat();
}

/** The section of each endpoint has this line. */
function withoutChainId(lines: readonly CheckLine[]): CheckLine[] {
  return lines.filter(({ name }) => name !== "chain id");
}

async function batchingLine(
  chain: Chain,
  { batchMax }: Config,
  batcher: Address | undefined,
): Promise<CheckLine> {
  if (batchMax === 1) return ok("batching", "turned off by FARTHING_BATCH_MAX");
  if (batcher !== undefined) return ok("batching", "through the batch contract (experimental)");
  const found = await findMulticall(chain);
  if (found.kind === "found") return ok("batching", `through Multicall3 at ${found.address}`);
  if (found.kind === "unknown") {
    const fix =
      "run it again; until the endpoint answers, every payment is a transaction of its own";
    return warn("batching", `could not ask for Multicall3: ${found.problem}`, fix);
  }
  return warn(
    "batching",
    `no Multicall3 at ${addressesOf(chain.network)}; every payment is a transaction of its own`,
    "nothing to do unless you expect more than two payments a second and wallet",
  );
}

function addressesOf({ multicall3 }: Network): string {
  return multicall3.join(" or ");
}

async function checkWallets(chain: Chain, deps: ExamineDeps): Promise<CheckLine[]> {
  const { signers, config, clock } = deps;
  const addresses = signers.map(({ address }) => address);
  const needs = gasNeedsAt(await readGasPrice(chain), config);
  const balances = await readBalances(chain, addresses);
  const readStoreReport = async () =>
    (await checkDatabase(config.databaseUrl, clock, addresses)).report;
  const nonces = await checkNonces(chain, addresses, {
    readStoreReport,
    sharedWallets: config.sharedWallets,
  });
  return addresses.flatMap((address, index) => [
    balanceLine(`wallet ${index}`, address, balances[index] ?? 0n, needs),
    ...nonces.slice(index, index + 1),
  ]);
}

/** A node can fail between two requests, which is a finding too. */
async function guarded(name: string, check: () => Promise<CheckLine[]>): Promise<CheckLine[]> {
  try {
    return await check();
  } catch (error) {
    return [fail(name, messageOf(error), "run this again; look at the endpoints above")];
  }
}
