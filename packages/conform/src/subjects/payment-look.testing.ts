/** One look of the honest facilitator at a payment: what the chain says, and the next step. */
import type { Rpc } from "@farthing/devnet";
import { addressWord, networkOfChain, type Hex, type JsonObject } from "@farthing/protocol";
import { findTransfer, transferCall } from "../chain/chain-facts.ts";
import { chainId } from "../chain/payments.ts";
import type { Checked } from "./check-payment.testing.ts";
import type { FacilitatorFault } from "./faults.testing.ts";
import type { openTransactions } from "./open-transactions.testing.ts";

/** A payment that was checked without the chain. */
export type Request = NonNullable<Checked["request"]>;

const token = networkOfChain(chainId).usdc;
const gasPriceMinWei = 12_500_000_000n;

/** Of `authorizationState(address,bytes32)` and `balanceOf(address)`. */
const selectors = { state: "0xe94a0102", balance: "0x70a08231" } as const;

/** Creates the looks of one wallet. */
export function createLook(
  rpc: Rpc,
  transactions: ReturnType<typeof openTransactions>,
  fault: FacilitatorFault | undefined,
) {
  const sentBefore = new Set<Hex>();
  const read = async (data: string) =>
    BigInt(await rpc<Hex>("eth_call", [{ to: token, data }, "latest"]));

  /** Why a payment cannot be settled as the chain is now; undefined where it can. */
  async function refusalOf({ payment }: Request, isSent: boolean): Promise<string | undefined> {
    const { from, nonce, value, validBefore } = payment.authorization;
    const state = await read(`${selectors.state}${addressWord(from)}${nonce.slice(2)}`);
    if (state === 1n) return "invalid_exact_evm_nonce_already_used";
    const head = await rpc<{ timestamp: Hex }>("eth_getBlockByNumber", ["latest", false]);
    if (BigInt(head.timestamp) >= validBefore && fault !== "refuses-an-expired-payment") {
      return "invalid_exact_evm_payload_authorization_valid_before";
    }
    if (isSent) return undefined;
    const balance = await read(`${selectors.balance}${addressWord(from)}`);
    const isPoor = balance < value && fault !== "refuses-a-poor-payer";
    return isPoor ? "insufficient_funds" : undefined;
  }

  /** Sends what was signed, signs again at a higher price, or with another nonce after a loss. */
  async function send(key: string, data: Hex): Promise<void> {
    const [price, count] = await Promise.all([
      rpc<Hex>("eth_gasPrice"),
      rpc<Hex>("eth_getTransactionCount", [transactions.address, "latest"]),
    ]);
    const doubled = BigInt(price) * 2n;
    const gasPrice = doubled > gasPriceMinWei ? doubled : gasPriceMinWei;
    const open = transactions.find(key);
    if (open && Number(count) > open.nonce) transactions.forget(key, Number(count));
    const isDear = open !== undefined && gasPrice > BigInt(open.gasPriceWei);
    const isReplaced = isDear && fault !== "stuck-transaction";
    if (!transactions.find(key) || isReplaced) transactions.sign(key, data, gasPrice);
    // The node may know it, or have dropped it: what the chain shows decides.
    for (const one of transactions.all()) {
      if (isLeftOut(one.key, one.raw)) continue;
      await rpc("eth_sendRawTransaction", [one.raw]).catch((error: unknown) => {
        if (fault === "send-answer-lost" || fault === "send-refused") throw error;
      });
    }
  }

  function isLeftOut(key: string, raw: Hex): boolean {
    if (fault === "killed-before-the-send") return transactions.isOfEarlierProcess(key);
    if (fault !== "node-forgets-the-transaction") return false;
    const isRepeated = sentBefore.has(raw);
    sentBefore.add(raw);
    return isRepeated;
  }

  /** What a facilitator says that believes the status of a receipt, or its own transaction alone. */
  async function believe(request: Request, key: string, transfer: Hex | undefined) {
    const own = transactions.find(key)?.hash;
    if (fault === "foreign-submitter" && transfer !== undefined && transfer !== own) {
      return refused(request, "invalid_exact_evm_transaction_failed");
    }
    if (fault !== "receipt-without-transfer" || own === undefined) return undefined;
    const receipt = await rpc<{ status: Hex } | null>("eth_getTransactionReceipt", [own]);
    const isSuccess = receipt?.status === "0x1";
    return isSuccess ? { ...answerOf(request), success: true, transaction: own } : undefined;
  }

  return {
    refusalOf,
    /** Looks once, and moves the payment on; undefined while its outcome is open. */
    async moveOn(request: Request, key: string): Promise<JsonObject | undefined> {
      const { authorization, signature } = request.payment;
      const reason = await refusalOf(request, transactions.find(key) !== undefined);
      // After the other reads: a block between them would show a used nonce without its transfer.
      const transaction = await findTransfer({ rpc, token }, authorization);
      const believed = await believe(request, key, transaction);
      if (believed) return believed;
      if (transaction) return { ...answerOf(request), success: true, transaction };
      if (reason !== undefined) return refused(request, reason);
      await send(key, transferCall({ authorization, signature }));
      return undefined;
    },
  };
}

/** The members that all answers have. */
export function answerOf({ payment }: Request): JsonObject {
  return { network: payment.networkName, payer: payment.authorization.from };
}

/** Nothing was sent, and nothing will be. */
export function refused(request: Request, errorReason: string): JsonObject {
  return { ...answerOf(request), success: false, errorReason, transaction: "" };
}
