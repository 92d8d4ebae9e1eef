/**
 * XDC's least gas price, which anvil lacks: blocks show it as their base fee, transactions below it are
 * refused, and when it rises, the pool drops what has become too cheap and does not take it back. What
 * may cost more than 1 XDC is refused as well.
 */
import { isHexBytes, isObject, type Hex } from "@farthing/protocol";
import * as Rlp from "ox/Rlp";
import * as Value from "ox/Value";
import type { Rpc } from "./chain-controls.ts";
import { sendBatch } from "./json-rpc.ts";

/** The call that changes the price of a running devnet, in the manner of anvil's own controls. */
export const setGasPriceMethod = "farthing_setGasPrice";

/** One call of a request, as it came. */
export type FrontCall = Readonly<Record<string, unknown>>;

/** The member of a JSON-RPC reply beside its id. */
export type FrontReply = { readonly result: unknown } | { readonly error: FrontError };

interface FrontError {
  readonly code: number;
  readonly message: string;
}

/** What the price does to a call. */
export interface GasPriceRule {
  /** Replies in the node's place; undefined where the node is to be asked. */
  reply(call: FrontCall): Promise<FrontReply | undefined>;
  /** Returns a result of the node as the call shows it at the price. */
  show(call: FrontCall, result: unknown): unknown;
  /** Resolves when the pool has dropped what is below the new price. Throws on a price that is none. */
  set(wei: bigint): Promise<void>;
  /** In wei. */
  now(): bigint;
  /** Runs the sending of a transaction; a change of the price waits for it, so that none slips past. */
  whileSending<T>(send: () => Promise<T>): Promise<T>;
}

/** XDC's own texts and code for a transaction below its least price. */
const underpriced: FrontError = {
  code: -32_000,
  message: "transaction underpriced: under min gas price",
};

/** What a node lets a transaction cost, by its gas limit: 1 XDC. */
const feeCapWei = 10n ** 18n;

const overCap: FrontError = {
  code: -32_000,
  message: "tx fee exceeds the configured cap (1.00 ether)",
};

/** XDC's nodes lack it, and anvil would fill in prices of its own; viem asks for it first. */
const noSuchMethod: FrontError = {
  code: -32_601,
  message: "the method eth_fillTransaction does not exist/is not available",
};

const invalidParams = -32_602;

/** JSON-RPC requests of 10 MB have transactions of this size at most; XDC refuses those above 128 KiB. */
const rawBytesMax = 5_000_000;

const weiPerGwei = 1_000_000_000n;

/** More than fifty times 625 gwei, the price that is prepared; above it a number is a mistake. */
const gweiMax = 99_999n;

/** Reads a price in gwei, such as `12.5`, as wei; undefined where it is none. */
export function parseGwei(text: string): bigint | undefined {
  if (!/^\d{1,9}(\.\d{1,9})?$/.test(text)) return undefined;
  const wei = Value.fromGwei(text);
  return isGasPrice(wei) ? wei : undefined;
}

/** The sentence about prices that are refused. */
const gasPriceHelp = `Use a price in gwei above 0 and up to ${gweiMax}, such as 12.5.`;

function isGasPrice(wei: bigint): boolean {
  return wei > 0n && wei <= gweiMax * weiPerGwei;
}

/** Starts at a price, in wei, which the blocks so far have too. `rpc` asks anvil itself. */
export function createGasPrice(upstream: string, rpc: Rpc, startWei: bigint): GasPriceRule {
  if (!isGasPrice(startWei)) throw new Error(`${startWei} wei is no gas price. ${gasPriceHelp}`);
  /** The price of the blocks above a number, the newest last. */
  const prices = [{ aboveBlock: -1n, wei: startWei }];
  const sending = new Set<Promise<unknown>>();
  const now = () => prices.at(-1)?.wei ?? startWei;
  const priceOfBlock = (number: bigint) =>
    prices.findLast(({ aboveBlock }) => number > aboveBlock)?.wei ?? startWei;

  async function set(wei: bigint): Promise<void> {
    if (!isGasPrice(wei)) throw new Error(`${wei} wei is no gas price. ${gasPriceHelp}`);
    prices.push({ aboveBlock: BigInt(await rpc<Hex>("eth_blockNumber")), wei });
    await Promise.allSettled(sending);
    await sweep(upstream, rpc, wei);
  }

  async function replyToSet(value: unknown): Promise<FrontReply> {
    const wei = parseGwei(String(value));
    if (wei === undefined) return { error: { code: invalidParams, message: gasPriceHelp } };
    await set(wei);
    return { result: toHex(wei) };
  }

  return {
    async reply({ method, params }) {
      const [first] = Array.isArray(params) ? params : [];
      if (method === setGasPriceMethod) return replyToSet(first);
      if (method === "eth_gasPrice") return { result: toHex(now()) };
      if (method === "eth_fillTransaction") return { error: noSuchMethod };
      if (method !== "eth_sendRawTransaction" || !isHexBytes(first, rawBytesMax)) return undefined;
      const sent = readFees(first);
      if (!sent) return undefined;
      if (sent.gasPrice * sent.gas > feeCapWei) return { error: overCap };
      return sent.gasPrice < now() ? { error: underpriced } : undefined;
    },
    show({ method }, result) {
      if (method === "eth_feeHistory") return showFeeHistory(result, priceOfBlock);
      const isBlock = method === "eth_getBlockByNumber" || method === "eth_getBlockByHash";
      if (!isBlock || !isObject(result)) return result;
      // The pending block has the number that it will have.
      const number = BigInt(String(result["number"]));
      return { ...result, baseFeePerGas: toHex(priceOfBlock(number)) };
    },
    set,
    now,
    async whileSending(send) {
      const sent = send();
      sending.add(sent);
      try {
        return await sent;
      } finally {
        sending.delete(sent);
      }
    },
  };
}

/** Drops what pays less from the pool, and leaves the rest where it is. */
async function sweep(upstream: string, rpc: Rpc, wei: bigint): Promise<void> {
  const pool =
    await rpc<Record<string, Record<string, Record<string, PooledTransaction>>>>("txpool_content");
  const dropped = Object.values(pool)
    .flatMap((bySender) => Object.values(bySender).flatMap((byNonce) => Object.values(byNonce)))
    .filter(({ gasPrice, maxFeePerGas }) => BigInt(maxFeePerGas ?? gasPrice ?? 0) < wei);
  if (dropped.length === 0) return;
  await sendBatch(
    upstream,
    dropped.map(({ hash }) => ({ method: "anvil_dropTransaction", params: [hash] })),
  );
}

interface PooledTransaction {
  readonly hash: Hex;
  readonly gasPrice?: Hex;
  readonly maxFeePerGas?: Hex;
}

/** Where the price is in the fields of a transaction of a type; of 0x02 on, the highest fee. */
const priceFields: Readonly<Record<string, number>> = {
  "0x01": 2,
  "0x02": 3,
  "0x03": 3,
  "0x04": 3,
};

/** The gas limit, and the most that is paid for a unit of it; undefined for bytes that are no transaction. */
function readFees(raw: Hex): { readonly gasPrice: bigint; readonly gas: bigint } | undefined {
  const type = raw.slice(0, 4);
  const typed = priceFields[type];
  try {
    const fields = Rlp.toHex(typed === undefined ? raw : `0x${raw.slice(4)}`);
    const at = typed ?? 1;
    const [gasPrice, gas] = [fields[at], fields[at + 1]].map(quantity);
    return gasPrice === undefined || gas === undefined ? undefined : { gasPrice, gas };
  } catch {
    // The node says what is wrong with it.
    return undefined;
  }
}

function quantity(field: unknown): bigint | undefined {
  return typeof field === "string" ? BigInt(field === "0x" ? 0 : field) : undefined;
}

function showFeeHistory(result: unknown, priceOfBlock: (number: bigint) => bigint): unknown {
  if (!isObject(result) || !Array.isArray(result["baseFeePerGas"])) return result;
  const oldest = BigInt(String(result["oldestBlock"]));
  const baseFeePerGas = result["baseFeePerGas"].map((_, index) =>
    toHex(priceOfBlock(oldest + BigInt(index))),
  );
  return { ...result, baseFeePerGas };
}

function toHex(value: bigint): Hex {
  return `0x${value.toString(16)}`;
}
