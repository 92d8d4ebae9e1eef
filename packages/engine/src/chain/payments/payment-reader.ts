/**
 * Reads what the chain says about payments: code, balance and authorization of the payer, and
 * whether the transfer would succeed. Concurrent reads share one `eth_call` of creation code that
 * is never deployed, so all results come from one block and one request. Nodes that refuse it get a
 * JSON-RPC batch instead.
 */
import { addressWord, type Address, type Hex } from "@farthing/protocol";
import { createBatcher } from "../../base/batcher.ts";
import { assert } from "../../base/assert.ts";
import { Fault } from "../../base/fault.ts";
import { encodeUse, type AuthorizationCall } from "../contracts/authorization-call.ts";
import { encodeArray, encodeBytes, readAbi, word } from "../contracts/abi.ts";
import type { Chain } from "../endpoints/chain.ts";
import { paymentReaderCode } from "../contracts/generated/payment-reader.ts";
import { readByBatch } from "./payment-batch-reader.ts";
import {
  forVerification,
  isSenderRefused,
  senderFields,
  transferGasCap,
  type CallSender,
  type PaymentCheck,
  type PaymentReading,
} from "./payment-reading.ts";
import { isUnexplained } from "../endpoints/reply-content.ts";
import { ethCall, hexOf } from "../endpoints/rpc-endpoint.ts";

export type PaymentReader = (check: PaymentCheck) => Promise<PaymentReading>;

/** More checks would exceed the result limit of 24,576 bytes (EIP-170). */
const checksMax = 48;

/** XDC nodes allow this much for an `eth_call`; 48 plain checks take 6 M. */
const readGas = 50_000_000n;

/** Most gas of one check with its share of the result; and of a read's own code and reserve. */
const checkGasMax = 450_000n;
const readBaseGas = 500_000n;

/** Creation code and arguments stay below EIP-3860's 49,152 bytes; signatures may be long. */
const createBytesMax = 48_000;

/** Bytes of a request beside its call's data: version, method, sender, gas and price. */
const requestBytes = 400;

/** At 50 ms round trip, 16 x 48 checks are 15,000 a second. */
const callsInFlightMax = 16;

/** A sixth of a request under load, so that a few thousand a second share calls by the dozen. */
const gatherMs = 2;

/** From this size a concurrent call is worth its cost: a twelfth of a call per payment. */
const worthItems = 12;

/** Beyond this many waiting payments the service reports overload. */
const waitingMax = 5_000;

/** Reads by batch after a refusal, before the combined call is tried again. */
const readsByBatchAfterRefusal = 200;

/**
 * Errors without a reason, one read after the other, that count as a refusal. Each is the last of
 * several attempts, so that a node which fails half of its requests has one of them now and then.
 */
const unexplainedMax = 2;

/** `sender` returns a funded relayer wallet; without one the calls have no sender. */
export function createPaymentReader(
  chain: Chain,
  sender: () => CallSender | undefined = () => undefined,
): PaymentReader {
  let readsByBatch = 0;
  let unexplained = 0;

  async function run(checks: readonly PaymentCheck[]): Promise<Outcome[]> {
    const from = sender();
    const countMax = affordableChecks(from);
    const calls = callsOf(chain, checks);
    if (countMax < 1) return readByBatch(chain, checks, calls, from);
    const parts = partsOf(calls, { countMax, bytesMax: callBytesMax(chain) });
    const outcomes = parts.map(({ start, end }) =>
      readTogether(checks.slice(start, end), calls.slice(start, end), from),
    );
    return (await Promise.all(outcomes)).flat();
  }

  async function readTogether(
    checks: readonly PaymentCheck[],
    calls: readonly AuthorizationCall[],
    from: CallSender | undefined,
  ): Promise<Outcome[]> {
    const bytesMax = callBytesMax(chain);
    if (readsByBatch > 0) readsByBatch--;
    else if (bytesOfCall(calls) <= bytesMax) {
      const readings = await readDeployless(chain, checks, calls, from);
      unexplained = readings === "unexplained" ? unexplained + 1 : 0;
      if (typeof readings !== "string") return readings;
      // The endpoint has just required smaller requests, so this one is split too.
      if (callBytesMax(chain) < bytesMax && checks.length > 1) return run(checks);
      const outcomes = await readByBatch(chain, checks, calls, from);
      // A node that fails this way as well is faulty, and did not just refuse the form.
      const isRefusal = readings === "refused" || unexplained >= unexplainedMax;
      if (isRefusal && !outcomes.every(isFault)) readsByBatch = readsByBatchAfterRefusal;
      return outcomes;
    }
    return readByBatch(chain, checks, calls, from);
  }

  const bounds = { itemsMax: checksMax, inFlightMax: callsInFlightMax, waitingMax };
  const readOne = createBatcher({ run, ...bounds, gatherMs, worthItems });
  return async (check) => {
    const call = encodeUse(chain.network.usdc, check.authorization, check.signature);
    // The combined call asks the token alone; deposits are rare, once for many payments.
    const outcome = call.isDeposit
      ? (await readByBatch(chain, [check], [call], sender()))[0]
      : await readOne(check);
    assert(outcome, "each check has an outcome");
    if (isFault(outcome)) throw outcome;
    return outcome;
  };
}

type Outcome = PaymentReading | Fault;

function isFault(outcome: Outcome): outcome is Fault {
  return outcome instanceof Fault;
}

/** Bytes of the call's data that the endpoint accepts, written as two digits each. */
function callBytesMax(chain: Chain): number {
  const { bodyBytes = Infinity } = chain.limitsInUse();
  return Math.min(createBytesMax, Math.floor((bodyBytes - requestBytes) / 2));
}

/** The reader's code, and each transfer's calldata with its frame. */
function bytesOfCall(calls: readonly AuthorizationCall[]): number {
  return calls.reduce((sum, call) => sum + bytesOfCheck(call), paymentReaderCode.length / 2);
}

function bytesOfCheck({ data }: AuthorizationCall): number {
  return data.length / 2 + 192;
}

/** Splits checks into ranges of one read each; a check that is too long is a range alone. */
function partsOf(
  calls: readonly AuthorizationCall[],
  { countMax, bytesMax }: { readonly countMax: number; readonly bytesMax: number },
) {
  const parts: { readonly start: number; end: number }[] = [];
  let bytes = 0;
  for (const [index, call] of calls.entries()) {
    const part = parts.at(-1);
    bytes += bytesOfCheck(call);
    if (part && index - part.start < countMax && bytes <= bytesMax) part.end++;
    else {
      parts.push({ start: index, end: index + 1 });
      bytes = bytesOfCall([call]);
    }
  }
  return parts;
}

function callsOf(chain: Chain, checks: readonly PaymentCheck[]): AuthorizationCall[] {
  const { usdc } = chain.network;
  return checks.map((check) => encodeUse(usdc, check.authorization, check.signature));
}

/** Undefined when nothing limits the gas. */
function affordableGas(sender: CallSender | undefined): bigint | undefined {
  const { gasPrice, balance } = sender ?? {};
  return gasPrice && balance !== undefined ? balance / gasPrice : undefined;
}

/** The number of checks that one read has gas for, at the most that each may take. */
function affordableChecks(sender: CallSender | undefined): number {
  const gas = affordableGas(sender);
  if (gas === undefined) return checksMax;
  return Math.min(checksMax, Math.floor(Number(gas - readBaseGas) / Number(checkGasMax)));
}

/** Tells whether a node supports the combined read. Throws RPC faults. */
export async function takesPaymentReads(chain: Chain): Promise<boolean> {
  const addresses = { from: chain.network.usdc, to: chain.network.usdc, nonce: noNonce };
  const authorization = { ...addresses, value: 0n, validAfter: 0n, validBefore: 0n };
  const check = { authorization, signature: "0x" } as const;
  const calls = callsOf(chain, [check]);
  return typeof (await readDeployless(chain, [check], calls)) !== "string";
}

export const noNonce: Hex = `0x${"0".repeat(64)}`;

async function readDeployless(
  chain: Chain,
  checks: readonly PaymentCheck[],
  calls: readonly AuthorizationCall[],
  sender?: CallSender,
): Promise<PaymentReading[] | "refused" | "unexplained"> {
  const data = `${paymentReaderCode}${encodeChecks(chain.network.usdc, checks, calls)}`;
  const affordable = affordableGas(sender) ?? readGas;
  const gas = hexOf(affordable < readGas ? affordable : readGas);
  const call = { ...senderFields(sender), data, gas };
  const [reply] = await chain.read([ethCall(call)], forVerification);
  if (reply?.ok && typeof reply.result === "string" && reply.result.length > 2) {
    return decodeReadings(reply.result, checks.length) ?? "refused";
  }
  if (sender?.gasPrice !== undefined && isSenderRefused(reply)) {
    return readDeployless(chain, checks, calls, { from: sender.from });
  }
  return reply !== undefined && isUnexplained(reply) ? "unexplained" : "refused";
}

/** ABI encoding of (address token, uint256 gasCap, (address, bytes32, bytes)[] checks). */
function encodeChecks(
  token: Address,
  checks: readonly PaymentCheck[],
  calls: readonly AuthorizationCall[],
) {
  const bodies = checks.map(({ authorization }, index) => {
    const start = `${addressWord(authorization.from)}${authorization.nonce.slice(2)}`;
    return `${start}${word(96)}${encodeBytes(calls[index]?.data ?? "0x")}`;
  });
  return `${addressWord(token)}${word(transferGasCap)}${word(96)}${encodeArray(bodies)}`;
}

/** Decodes (uint256, uint256, (uint256, uint256, bool, bool, bytes)[]) of `count` elements. */
function decodeReadings(result: string, count: number): PaymentReading[] | undefined {
  if (!/^0x[0-9a-fA-F]+$/.test(result)) return undefined;
  const { wordAt, numberAt, bytesAt } = readAbi(result);
  const start = numberAt(64) + 32;
  if (numberAt(start - 32) !== count) return undefined;
  const bodies = Array.from({ length: count }, (_, at) => start + numberAt(start + at * 32));
  if (bodies.some((body) => wordAt(body + 128).length !== 64)) return undefined;
  return bodies.map((body) => ({
    blockNumber: numberAt(0),
    blockTime: BigInt(`0x${wordAt(32)}`),
    payerHasCode: numberAt(body) > 0,
    balance: BigInt(`0x${wordAt(body + 32)}`),
    isUsed: numberAt(body + 64) === 1,
    isTransferable: numberAt(body + 96) === 1,
    revertData: bytesAt(body + numberAt(body + 128)),
  }));
}
