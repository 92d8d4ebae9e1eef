/** A facilitator on a local chain, for tests: started from its real configuration, asked over HTTP. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDevnet, type Devnet, type DevnetOptions, type DevnetWallet } from "@farthing/devnet";
import {
  authorizationTypedData,
  isHexBytes,
  isObject,
  networkOfChain,
  parsePaymentRequest,
  toWireAuthorization,
  type Address,
  type Authorization,
  type Hex,
  type JsonObject,
} from "@farthing/protocol";
import * as Secp256k1 from "ox/Secp256k1";
import * as Signature from "ox/Signature";
import * as TypedData from "ox/TypedData";
import { readConfig } from "../../src/config/config.ts";
import { type Clock, silentLog, systemClock } from "@farthing/engine/base";
import { encodeTransfer } from "@farthing/engine/source/chain/contracts/usdc";
import { startFacilitator, type Facilitator, type StartOptions } from "../../src/app.ts";

/** One US cent in base units: what payments here are for, if not said otherwise. */
export const oneCent = 10_000n;

/** An HTTP answer, read whole. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: JsonObject;
}

/** A facilitator under test. */
export interface Served extends Facilitator {
  /** Of the first relayer wallet. */
  readonly relayer: Address;
  readonly databaseUrl: string;
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
}

/** How to start one; what is left out is as an operator would have it. */
export interface ServeOptions extends Omit<StartOptions, "config"> {
  readonly env?: Readonly<Record<string, string>>;
  /** The devnet's relayer wallets that it works with; two facilitators never share one. */
  readonly wallets?: readonly number[];
  /** Where it looks for the chain, when not at the devnet itself. */
  readonly rpcUrl?: string;
  /** A database that is there already. */
  readonly databaseUrl?: string;
}

const folders: string[] = [];
process.once("exit", () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Names a SQLite file that is not there yet, in a folder that goes with the process. */
export function newDatabaseUrl(): string {
  const folder = mkdtempSync(join(tmpdir(), "farthing-facilitator-"));
  folders.push(folder);
  return `sqlite:${join(folder, "farthing.db")}`;
}

/** The environment of a facilitator on a devnet. */
export function environmentOn(devnet: Devnet, options: ServeOptions = {}) {
  const { wallets = [0], rpcUrl = devnet.rpcUrl, databaseUrl = newDatabaseUrl() } = options;
  const keys = wallets.map((index) => walletAt(devnet.relayers, index).privateKey);
  return {
    FARTHING_PORT: "0",
    FARTHING_WORKERS: process.env["TEST_WORKERS"] ?? "1",
    [`FARTHING_RPC_${devnet.chainId}`]: rpcUrl,
    FARTHING_RELAYER_KEYS: keys.join(","),
    DATABASE_URL: databaseUrl,
    FARTHING_RATE_LIMIT: "0",
    FARTHING_PAYER_CAP: "0",
    FARTHING_PAYER_COUNT: "0",
    FARTHING_KEYLESS_GAS_PER_DAY: "0",
    ...options.env,
  };
}

/** Starts a facilitator on a devnet, the self-built face unless told otherwise. */
export async function serveOn(devnet: Devnet, options: ServeOptions = {}): Promise<Served> {
  const env = environmentOn(devnet, options);
  const { selfBuilt = true, log = silentLog } = options;
  const facilitator = await startFacilitator({
    ...options,
    config: readConfig({ env }),
    selfBuilt,
    log,
  });
  const { url } = facilitator;
  return {
    ...facilitator,
    relayer: walletAt(devnet.relayers, options.wallets?.[0] ?? 0).address,
    databaseUrl: env.DATABASE_URL,
    post: async (path, body, headers = {}) =>
      readResponse(
        await fetch(`${url}${path}`, {
          method: "POST",
          headers: { "content-type": "application/json", ...headers },
          body: typeof body === "string" ? body : JSON.stringify(body),
        }),
      ),
    get: async (path, headers = {}) => readResponse(await fetch(`${url}${path}`, { headers })),
  };
}

/** Reads an answer, which must be a JSON object. */
export async function readResponse(response: Response): Promise<Answer> {
  const body: unknown = await response.json();
  if (!isObject(body)) throw new Error(`HTTP ${response.status} without a JSON object`);
  return { status: response.status, headers: response.headers, body };
}

/** Starts a devnet of few wallets. */
export function startChain(options: DevnetOptions = {}): Promise<Devnet> {
  return startDevnet({ buyers: 4, blockTimeSeconds: 0, ...options });
}

/** A wallet of a list, which must have it. */
export function walletAt(wallets: readonly DevnetWallet[], index: number): DevnetWallet {
  const wallet = wallets[index];
  if (!wallet) throw new Error(`the devnet has no wallet ${index}`);
  return wallet;
}

/** The three shapes of a payment. */
export type Shape = "v1" | "v2" | "flat-v2";

/** What is signed, by whom, and how it is written. */
export interface PaymentInput {
  readonly shape?: Shape;
  /** Signs; pays too when `authorization.from` says nothing else. Buyer 0 if left out. */
  readonly payer?: DevnetWallet;
  readonly authorization?: Partial<Authorization>;
  /** What becomes of the signature after signing. */
  readonly alter?: (signature: Hex) => Hex;
}

let noncesMade = 0;
const nonceStart = BigInt(Date.now()) << 64n;

/** A nonce that was not there before. */
export function newNonce(): Hex {
  return `0x${(nonceStart + BigInt(++noncesMade)).toString(16).padStart(64, "0")}`;
}

/** Unix seconds, `offset` from now. */
export function secondsFromNow(offset: number): bigint {
  return BigInt(Math.floor(Date.now() / 1000) + offset);
}

/** An authorization that is in order, with changes. */
export function authorizationOn(devnet: Devnet, input: PaymentInput = {}): Authorization {
  return {
    from: (input.payer ?? walletAt(devnet.buyers, 0)).address,
    to: devnet.seller.address,
    value: oneCent,
    validAfter: 0n,
    validBefore: secondsFromNow(3_600),
    nonce: newNonce(),
    ...input.authorization,
  };
}

/** Signs by the general EIP-712 encoder, so that ours is not tested against itself. */
export function signOn(devnet: Devnet, authorization: Authorization, key: Hex): Hex {
  const payload = TypedData.getSignPayload(
    authorizationTypedData(networkOfChain(devnet.chainId), authorization),
  );
  return Signature.toHex(Secp256k1.sign({ payload, privateKey: key }));
}

/** The body of /verify and /settle for a payment that is in order but for the wish's changes. */
export function bodyOn(devnet: Devnet, input: PaymentInput = {}): JsonObject {
  const { shape = "v2", payer = walletAt(devnet.buyers, 0), alter = (same: Hex) => same } = input;
  const network = networkOfChain(devnet.chainId);
  const authorization = authorizationOn(devnet, input);
  const signature = alter(signOn(devnet, authorization, payer.privateKey));
  const payload = { signature, authorization: toWireAuthorization(authorization) };
  const terms = { asset: network.usdc, payTo: authorization.to, maxTimeoutSeconds: 60 };
  const amount = authorization.value.toString();
  if (shape === "v1") {
    const head = { scheme: "exact", network: network.label };
    const extra = { ...network.domain };
    return {
      x402Version: 1,
      paymentPayload: { x402Version: 1, ...head, payload },
      paymentRequirements: { ...head, maxAmountRequired: amount, ...terms, extra },
    };
  }
  const head = { scheme: "exact", network: network.id };
  const extra = { assetTransferMethod: "eip3009", ...network.domain };
  const paymentRequirements = { ...head, amount, ...terms, extra };
  const chosen = shape === "v2" ? { accepted: paymentRequirements } : head;
  return {
    x402Version: 2,
    paymentPayload: { x402Version: 2, ...chosen, payload },
    paymentRequirements,
  };
}

/** A payment of the devnet's contract wallet, signed by its owner. */
export function byContract(devnet: Devnet, input: PaymentInput = {}): JsonObject {
  const { address, owner } = devnet.smartWallet;
  const authorization = { from: address, ...input.authorization };
  return bodyOn(devnet, { payer: owner, ...input, authorization });
}

/** A message with the member at a path (`a.b.c`) set; undefined removes it. */
export function withMember(message: JsonObject, path: string, value: unknown): JsonObject {
  const [key = "", ...rest] = path.split(".");
  if (rest.length === 0) return { ...message, [key]: value };
  const inner = message[key];
  return { ...message, [key]: withMember(isObject(inner) ? inner : {}, rest.join("."), value) };
}

/** The member at a path (`a.b.c`). */
export function memberAt(message: JsonObject, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), message);
}

/** The text at a path, which must be one. */
export function textAt(message: JsonObject, path: string): string {
  const value = memberAt(message, path);
  if (typeof value !== "string") throw new Error(`${path} is no text`);
  return value;
}

/** The hexadecimal text at a path, which must be one. */
export function hexAt(message: JsonObject, path: string): Hex {
  const value = memberAt(message, path);
  if (!isHexBytes(value, hexBytesMax)) throw new Error(`${path} is no hexadecimal text`);
  return value;
}

/** More than any text in these tests has. */
const hexBytesMax = 10_000;

/** The payer and nonce of a request. */
export function payerAndNonceOf(body: JsonObject) {
  const payer = hexAt(body, "paymentPayload.payload.authorization.from");
  return { payer, nonce: hexAt(body, "paymentPayload.payload.authorization.nonce") };
}

/** A clock that a test moves, stops and hurries. */
export interface SteeredClock extends Clock {
  /** Added to the machine's time. */
  aheadMs: number;
  /** While set, the time. */
  frozenMs: number | undefined;
  /** Waits of this length and more are cut down to `hurriedMs`. */
  hurryFromMs: number;
  /** Every wait that was asked for. */
  readonly waits: number[];
}

/** What a hurried wait takes. */
const hurriedMs = 300;

/** Creates a clock that goes as the machine's until it is steered. */
export function createSteeredClock(): SteeredClock {
  const clock: SteeredClock = {
    aheadMs: 0,
    frozenMs: undefined,
    hurryFromMs: Number.POSITIVE_INFINITY,
    waits: [],
    nowMs: () => clock.frozenMs ?? systemClock.nowMs() + clock.aheadMs,
    sleep: (ms, signal) => {
      clock.waits.push(ms);
      return systemClock.sleep(ms >= clock.hurryFromMs ? hurriedMs : ms, signal);
    },
  };
  return clock;
}

/** More blocks than the devnet takes to call one final. */
export const finalAfterBlocks = 4;

/** How many transactions of a wallet a devnet has seen, those that wait for a block included. */
export async function countOf(devnet: Devnet, wallet: Address): Promise<number> {
  return Number(await devnet.rpc<Hex>("eth_getTransactionCount", [wallet, "pending"]));
}

/** Topic 0 of AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce). */
const usedTopic = "0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5";

/** The transactions in which an authorization was used, by the chain's own logs. */
export async function usesOf(devnet: Devnet, body: JsonObject): Promise<string[]> {
  return (await useLogsOf(devnet, body)).map(({ transactionHash }) => transactionHash);
}

/** The log of an authorization's use, as the node gives it. */
export interface UseLog {
  readonly transactionHash: Hex;
  readonly blockHash: Hex;
  readonly blockNumber: Hex;
  readonly logIndex: Hex;
}

/** The logs of an authorization's use: one when it was used. */
export async function useLogsOf(devnet: Devnet, body: JsonObject): Promise<UseLog[]> {
  const { payer, nonce } = payerAndNonceOf(body);
  const topics = [usedTopic, `0x${payer.slice(2).toLowerCase().padStart(64, "0")}`, nonce];
  const filter = { address: devnet.token, fromBlock: "0x0", toBlock: "latest", topics };
  return devnet.rpc<UseLog[]>("eth_getLogs", [filter]);
}

/** The account whose key the devnet's node holds: a stranger to every facilitator. */
const thirdParty = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";

/** Submits a payment's authorization in a stranger's transaction and mines it; gives its hash. */
export async function frontRun(devnet: Devnet, body: JsonObject): Promise<string> {
  const parsed = parsePaymentRequest(body);
  if (!parsed.ok) throw new Error(parsed.refusal.message);
  const { authorization, signature } = parsed.value.payment;
  const data = encodeTransfer(authorization, signature);
  // Ahead of everything a relayer has sent: blocks are ordered by price.
  const call = { from: thirdParty, to: devnet.token, data, gasPrice: "0xe8d4a51000" };
  const hash = await devnet.rpc<string>("eth_sendTransaction", [call]);
  await devnet.mine();
  return hash;
}
