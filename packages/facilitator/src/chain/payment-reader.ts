/**
 * What the chain says about a payment: has the payer code, what does he hold, is the authorization
 * used, would the transfer go through. Concurrent asks share one `eth_call` to a contract that is
 * never deployed (its creation code is the call), so all answers come from one block and one
 * request. A node that refuses such a call is asked by a JSON-RPC batch instead.
 */
import { isObject, type Address, type Authorization, type Hex } from "@farthing/protocol";
import { createBatcher } from "../base/batcher.ts";
import { Fault } from "../base/fault.ts";
import { quantity, resultOf, type Chain } from "./chain.ts";
import { paymentReaderCode } from "./generated/payment-reader.ts";
import { classifyNodeError } from "./node-errors.ts";
import type { RpcAnswer } from "./rpc-endpoint.ts";
import { addressWord, encodeAuthorizationState, encodeBalanceOf, encodeTransfer } from "./usdc.ts";

/** One payment to look at: the very bytes that would be sent. */
export interface PaymentCheck {
  readonly authorization: Authorization;
  readonly signature: Hex;
}

/** What the chain says about it, all at one block. */
export interface PaymentReading {
  readonly blockNumber: number;
  /** Unix seconds. */
  readonly blockTime: bigint;
  readonly payerHasCode: boolean;
  /** USDC base units. */
  readonly balance: bigint;
  /** The token's `authorizationState`: used or canceled. */
  readonly isUsed: boolean;
  /** Whether the transfer would go through. */
  readonly isTransferable: boolean;
  /** What it would revert with; "0x" when it ran out of the gas allowed for one transfer. */
  readonly revertData: Hex;
}

/**
 * Who a simulated transfer claims to come from. A contract wallet sees the transaction's origin and
 * gas price, so a simulation without them lets the wallet tell it from a transaction.
 */
export interface CallSender {
  readonly from: Address;
  /** Wei per gas; left out for a node that does not take the price. */
  readonly gasPrice?: bigint;
  /** What the wallet holds, in wei: nodes refuse a call whose gas it could not pay for. */
  readonly balance?: bigint | undefined;
}

/** Those who wait for an outcome, or for a transaction to be sent, go first. */
const forVerification = { priority: "verification" } as const;

/** Asks the chain about one payment; many at once travel together. */
export type PaymentReader = (check: PaymentCheck) => Promise<PaymentReading>;

/**
 * Gas one simulated transfer may use. A contract payer's transaction is sent with at most 400 k,
 * a fifth of it in reserve, 21 k and calldata before the call begins: 290 k are left for the call,
 * so whatever passes here can be sent. A plain transfer takes at most 104 k.
 */
export const transferGasCap = 290_000n;

/** Checks in one call: more would pass the answer limit of 24,576 bytes (EIP-170). */
const checksMax = 48;

/** Gas of the whole read: what XDC nodes allow an `eth_call`; 48 plain checks take 6 M. */
const readGas = 50_000_000n;

/**
 * Gas that one check may take at most, its share of the answer's bytes included, and that a read
 * takes beside its checks: the reader's code, and what has to be left for the last check.
 */
const checkGasMax = 450_000n;
const readBaseGas = 500_000n;

/** Creation code and arguments stay below EIP-3860's 49,152 bytes; signatures may be long. */
const callBytesMax = 48_000;

/** Calls on their way at once. At 50 ms round trip 16 x 48 checks are 15,000 a second. */
const callsInFlightMax = 16;

/**
 * How long a call waits to be filled while others are on their way: a sixth of what a request takes
 * under load, and enough that a few thousand a second share calls by the dozen.
 */
const gatherMs = 2;

/** Payments that are worth a call beside others: a twelfth of a call each is still cheap. */
const worthItems = 12;

/** Payments waiting for a call; beyond it the service says that it is overloaded. */
const waitingMax = 5_000;

/** Reads made by batch after a node refused the short way, before that is tried again. */
const readsByBatchAfterRefusal = 200;

/**
 * Creates the reader of a network. `sender` names a relayer wallet that could send; without one the
 * calls have no sender.
 */
export function createPaymentReader(
  chain: Chain,
  sender: () => CallSender | undefined = () => undefined,
): PaymentReader {
  let readsByBatch = 0;

  async function run(checks: readonly PaymentCheck[]): Promise<PaymentReading[]> {
    const from = sender();
    const size = affordableChecks(from);
    if (size >= checks.length) return readTogether(checks, from);
    if (size < 1) return readByBatch(chain, checks, callsOf(checks), from);
    const parts = Array.from({ length: Math.ceil(checks.length / size) }, (_, part) =>
      checks.slice(part * size, (part + 1) * size),
    );
    return (await Promise.all(parts.map((part) => readTogether(part, from)))).flat();
  }

  async function readTogether(
    checks: readonly PaymentCheck[],
    from: CallSender | undefined,
  ): Promise<PaymentReading[]> {
    const calls = callsOf(checks);
    const bytes = calls.reduce(
      (sum, call) => sum + call.length / 2 + 192,
      paymentReaderCode.length / 2,
    );
    if (readsByBatch > 0) readsByBatch--;
    else if (bytes <= callBytesMax) {
      const readings = await readDeployless(chain, checks, calls, from);
      if (readings) return readings;
      // Throws when the node is ill and not choosy: then nothing is learned about its ways.
      const answered = await readByBatch(chain, checks, calls, from);
      readsByBatch = readsByBatchAfterRefusal;
      return answered;
    }
    return readByBatch(chain, checks, calls, from);
  }

  return createBatcher({
    run,
    itemsMax: checksMax,
    inFlightMax: callsInFlightMax,
    waitingMax,
    gatherMs,
    worthItems,
  });
}

function callsOf(checks: readonly PaymentCheck[]): Hex[] {
  return checks.map((check) => encodeTransfer(check.authorization, check.signature));
}

/** Gas that a sender can pay for; undefined when nothing limits it. */
function affordableGas(sender: CallSender | undefined): bigint | undefined {
  const { gasPrice, balance } = sender ?? {};
  return gasPrice && balance !== undefined ? balance / gasPrice : undefined;
}

/** How many checks one read has gas for, if each takes the most it may. */
function affordableChecks(sender: CallSender | undefined): number {
  const gas = affordableGas(sender);
  if (gas === undefined) return checksMax;
  return Math.min(checksMax, Math.floor(Number(gas - readBaseGas) / Number(checkGasMax)));
}

/** The members of a call's object that say who sends it. */
function senderFields(sender: CallSender | undefined): Record<string, string> {
  if (!sender) return {};
  const { from, gasPrice } = sender;
  return { from, ...(gasPrice !== undefined && { gasPrice: hexOf(gasPrice) }) };
}

function hexOf(value: bigint): string {
  return `0x${value.toString(16)}`;
}

/** Whether a node refused a call for its sender's money or price, not for what it does. */
function isSenderRefused(answer: RpcAnswer | undefined): boolean {
  if (!answer || answer.ok) return false;
  const problem = classifyNodeError(answer.error);
  return problem === "insufficient_gas_money" || problem === "price_too_low";
}

/** Tells whether a node takes the call that reads many payments at once. Throws RPC faults. */
export async function takesPaymentReads(chain: Chain): Promise<boolean> {
  const nobody = { from: chain.network.usdc, to: chain.network.usdc, nonce: noNonce };
  const authorization = { ...nobody, value: 0n, validAfter: 0n, validBefore: 0n };
  const check = { authorization, signature: "0x" } as const;
  const calls = [encodeTransfer(authorization, check.signature)];
  return (await readDeployless(chain, [check], calls)) !== undefined;
}

const noNonce: Hex = `0x${"0".repeat(64)}`;

async function readDeployless(
  chain: Chain,
  checks: readonly PaymentCheck[],
  calls: readonly Hex[],
  sender?: CallSender,
): Promise<PaymentReading[] | undefined> {
  const data = `${paymentReaderCode}${encodeChecks(chain.network.usdc, checks, calls)}`;
  const affordable = affordableGas(sender) ?? readGas;
  const gas = hexOf(affordable < readGas ? affordable : readGas);
  const call = { ...senderFields(sender), data, gas };
  const question = { method: "eth_call", params: [call, "latest"] };
  const [answer] = await chain.read([question], forVerification);
  if (answer?.ok && typeof answer.result === "string" && answer.result.length > 2) {
    return decodeReadings(answer.result, checks.length);
  }
  if (answer && !answer.ok && classifyNodeError(answer.error) === "rate_limited") {
    throw new Fault("rpc_unavailable", "The RPC endpoints limit our rate");
  }
  if (sender?.gasPrice !== undefined && isSenderRefused(answer)) {
    return readDeployless(chain, checks, calls, { from: sender.from });
  }
  return undefined;
}

function word(value: bigint | number): string {
  return value.toString(16).padStart(64, "0");
}

/** ABI encoding of (address token, uint256 gasCap, (address, bytes32, bytes)[] checks). */
function encodeChecks(
  token: Address,
  checks: readonly PaymentCheck[],
  calls: readonly Hex[],
): string {
  const bodies = checks.map(({ authorization }, index) => {
    const bytes = (calls[index] ?? "0x").slice(2);
    const padded = bytes.padEnd(Math.ceil(bytes.length / 64) * 64, "0");
    return `${addressWord(authorization.from)}${authorization.nonce.slice(2)}${word(96)}${word(bytes.length / 2)}${padded}`;
  });
  let offset = bodies.length * 32;
  const offsets = bodies.map((body) => {
    const here = word(offset);
    offset += body.length / 2;
    return here;
  });
  return `${addressWord(token)}${word(transferGasCap)}${word(96)}${word(bodies.length)}${offsets.join("")}${bodies.join("")}`;
}

/** ABI decoding of (uint256, uint256, (uint256, uint256, bool, bool, bytes)[]). */
function decodeReadings(result: string, count: number): PaymentReading[] {
  const hex = result.slice(2);
  const at = (byte: number) => hex.slice(byte * 2, byte * 2 + 64);
  const numberAt = (byte: number) => Number.parseInt(at(byte), 16);
  const start = numberAt(64) + 32;
  if (numberAt(start - 32) !== count) {
    throw new Fault("rpc_refused", "The node answered for another number of payments");
  }
  return Array.from({ length: count }, (_, index) => {
    const body = start + numberAt(start + index * 32);
    const bytes = body + numberAt(body + 128);
    const length = numberAt(bytes);
    return {
      blockNumber: numberAt(0),
      blockTime: BigInt(`0x${at(32)}`),
      payerHasCode: numberAt(body) > 0,
      balance: BigInt(`0x${at(body + 32)}`),
      isUsed: numberAt(body + 64) === 1,
      isTransferable: numberAt(body + 96) === 1,
      revertData: `0x${hex.slice((bytes + 32) * 2, (bytes + 32 + length) * 2)}` as const,
    };
  });
}

/** Calls per payment in the fallback, and their order in it. */
const fallbackCalls = 4;

async function readByBatch(
  chain: Chain,
  checks: readonly PaymentCheck[],
  calls: readonly Hex[],
  sender: CallSender | undefined,
): Promise<PaymentReading[]> {
  const to = chain.network.usdc;
  const sent = { ...senderFields(sender), gas: hexOf(transferGasCap) };
  const questions = [
    { method: "eth_getBlockByNumber", params: ["latest", false] },
    ...checks.flatMap(({ authorization: { from, nonce } }, index) => [
      { method: "eth_getCode", params: [from, "latest"] },
      { method: "eth_call", params: [{ to, data: encodeBalanceOf(from) }, "latest"] },
      {
        method: "eth_call",
        params: [{ to, data: encodeAuthorizationState(from, nonce) }, "latest"],
      },
      { method: "eth_call", params: [{ ...sent, to, data: calls[index] }, "latest"] },
    ]),
  ];
  const answers = await chain.read(questions, forVerification);
  const isRefused = checks.some((_, index) =>
    isSenderRefused(answers[(index + 1) * fallbackCalls]),
  );
  if (isRefused && sender?.gasPrice !== undefined) {
    return readByBatch(chain, checks, calls, { from: sender.from });
  }
  const block = resultOf(answers[0], "eth_getBlockByNumber");
  if (!isObject(block)) throw new Fault("rpc_unavailable", "The node does not have the block");
  return checks.map((_, index) => {
    const [code, balance, state, transfer] = answers.slice(1 + index * fallbackCalls);
    const problem = transfer && !transfer.ok ? classifyNodeError(transfer.error) : undefined;
    const isOutOfGas = transfer && !transfer.ok && /out of gas/i.test(transfer.error.message);
    // Only a revert or running out of gas is the payment's fault; all else is the node's.
    if (problem !== undefined && problem !== "reverted" && !isOutOfGas)
      resultOf(transfer, "eth_call");
    return {
      blockNumber: Number(quantity(block["number"], "the block number")),
      blockTime: quantity(block["timestamp"], "the block time"),
      payerHasCode: String(resultOf(code, "eth_getCode")).length > 2,
      balance: quantity(resultOf(balance, "eth_call"), "a balance"),
      isUsed: quantity(resultOf(state, "eth_call"), "an authorization's state") === 1n,
      isTransferable: transfer?.ok === true,
      revertData: (transfer && !transfer.ok ? transfer.error.data : undefined) ?? "0x",
    };
  });
}
