/** Reads payments by a JSON-RPC batch of four calls each, for nodes that refuse the joint call. */
import { isObject, type Hex } from "@farthing/protocol";
import type { AuthorizationCall } from "../contracts/authorization-call.ts";
import { Fault } from "../../base/fault.ts";
import { headerCall } from "../reads/block-headers.ts";
import { bytesOf, quantity, resultOf, type Chain } from "../endpoints/chain.ts";
import { isContractFailure } from "../endpoints/node-errors.ts";
import {
  depositGasCap,
  forVerification,
  isSenderRefused,
  senderFields,
  transferGasCap,
  type CallSender,
  type PaymentCheck,
  type PaymentReading,
} from "./payment-reading.ts";
import { ethCall, hexOf, type RpcReply } from "../endpoints/rpc-endpoint.ts";
import { encodeAuthorizationState, encodeBalanceOf } from "../contracts/usdc.ts";

const callsPerPayment = 4;

/** Hex digits of a 32-byte ABI word with its prefix. */
const wordDigits = 66;

/** Returns a reading or a fault per payment, in order. Throws when nothing could be read. */
export async function readByBatch(
  chain: Chain,
  checks: readonly PaymentCheck[],
  calls: readonly AuthorizationCall[],
  sender: CallSender | undefined,
): Promise<(PaymentReading | Fault)[]> {
  const to = chain.network.usdc;
  const from = senderFields(sender);
  const simulated = calls.map((call) => {
    const gas = hexOf(call.isDeposit ? depositGasCap : transferGasCap);
    return ethCall({ ...from, gas, to: call.to, data: call.data });
  });
  const questions = [
    headerCall("latest"),
    ...checks.flatMap(({ authorization: { from: payer, nonce } }, index) => [
      { method: "eth_getCode", params: [payer, "latest"] },
      ethCall({ to, data: encodeBalanceOf(payer) }),
      ethCall({ to, data: encodeAuthorizationState(payer, nonce) }),
      ...simulated.slice(index, index + 1),
    ]),
  ];
  const replies = await chain.read(questions, forVerification);
  const isRefused = checks.some((_, index) =>
    isSenderRefused(replies[(index + 1) * callsPerPayment]),
  );
  if (isRefused && sender?.gasPrice !== undefined) {
    return readByBatch(chain, checks, calls, { from: sender.from });
  }
  const block = resultOf(replies[0], "eth_getBlockByNumber");
  if (!isObject(block)) throw new Fault("rpc_unavailable", "The node does not have the block");
  const head = {
    blockNumber: Number(quantity(block["number"], "the block number")),
    blockTime: quantity(block["timestamp"], "the block time"),
  };
  return checks.map((check, index) => {
    const start = 1 + index * callsPerPayment;
    return evaluate(check, head, replies.slice(start, start + callsPerPayment));
  });
}

function evaluate(
  { authorization }: PaymentCheck,
  head: Pick<PaymentReading, "blockNumber" | "blockTime">,
  [code, balanceAnswer, state, transfer]: readonly (RpcReply | undefined)[],
): PaymentReading | Fault {
  try {
    const balance = wordOf(balanceAnswer, "a balance");
    const isUsed = wordOf(state, "an authorization's state") === 1n;
    const returned = readTransfer(transfer);
    // A transfer returns nothing. Some nodes return a revert as a result, and one without text
    // looks like success, so the conditions that the token checks must hold as well.
    const isInOrder = !isUsed && balance >= authorization.value;
    return {
      ...head,
      payerHasCode: bytesOf(resultOf(code, "eth_getCode"), "a payer's code").length > 2,
      balance,
      isUsed,
      isTransferable: returned.succeeded && returned.data === "0x" && isInOrder,
      revertData: returned.data,
    };
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

/** Another length than one word is an invalid reply of the node. */
function wordOf(reply: RpcReply | undefined, name: string): bigint {
  const result = resultOf(reply, "eth_call");
  if (bytesOf(result, name).length === wordDigits) return quantity(result, name);
  throw new Fault("rpc_refused", `The node sent no word for ${name}`);
}

/** Only a revert or a contract failure is the payment's fault; all else is the node's. */
function readTransfer(reply: RpcReply | undefined): { succeeded: boolean; data: Hex } {
  if (reply?.ok === false && isContractFailure(reply.error)) {
    return { succeeded: false, data: reply.error.data ?? "0x" };
  }
  return { succeeded: true, data: bytesOf(resultOf(reply, "eth_call"), "a transfer") };
}
