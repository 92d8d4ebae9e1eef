/** One look of the honest facilitator at a payment: what the chain says, and the next step. */
import type { Rpc } from "@farthing/devnet";
import {
  addressWord,
  networkOfChain,
  type Hex,
  type JsonObject,
  type Payment,
} from "@farthing/protocol";
import { findTransfer, transferCall } from "../chain/chain-facts.ts";
import { chainId } from "../chain/payments.ts";
import { answerOf, refused, type Request } from "./answers.testing.ts";
import type { FacilitatorFault } from "./faults.testing.ts";
import { believeChain } from "./misbelief.testing.ts";
import { NodeFault } from "./node-calls.testing.ts";
import type { openTransactions } from "./open-transactions.testing.ts";
import { expired } from "./reasons.testing.ts";

const token = networkOfChain(chainId).usdc;
const gasPriceMinWei = 12_500_000_000n;

/** Of `authorizationState(address,bytes32)` and `balanceOf(address)`. */
const selectors = { state: "0xe94a0102", balance: "0x70a08231" } as const;

/** What a payment is looked at for; once it was sent, its payer may have spent what it had. */
type Stage = "verify" | "settle" | "sent";

/** Two faults give a payment up where a send failed. */
export class GivenUp extends Error {}

/** Creates the looks of one wallet. */
export function createLook(
  rpc: Rpc,
  transactions: ReturnType<typeof openTransactions>,
  fault: FacilitatorFault | undefined,
) {
  /** What the node has said that it took. */
  const taken = new Set<Hex>();
  const believe = believeChain(rpc, transactions, fault);
  const read = async (data: string) =>
    BigInt(await rpc<Hex>("eth_call", [{ to: token, data }, "latest"]));
  const countOf = async (tag: "latest" | "pending") =>
    Number(await rpc<Hex>("eth_getTransactionCount", [transactions.address, tag]));

  /** Why a payment cannot be settled as the chain is now; undefined where it can. */
  async function refusalOf({ payment }: Request, stage: Stage): Promise<string | undefined> {
    const { from, nonce, value, validBefore } = payment.authorization;
    const state = await read(`${selectors.state}${addressWord(from)}${nonce.slice(2)}`);
    const isForgetful = fault === "refuses-a-used-payment" && stage === "verify";
    if (state === 1n && !isForgetful) return "invalid_exact_evm_nonce_already_used";
    const head = await rpc<{ timestamp: Hex }>("eth_getBlockByNumber", ["latest", false]);
    const isBlind = fault === "refuses-an-expired-payment" && stage === "verify";
    if (BigInt(head.timestamp) >= validBefore && !isBlind) {
      return expired;
    }
    if (stage === "sent") return undefined;
    const balance = await read(`${selectors.balance}${addressWord(from)}`);
    const isPoor = balance < value && fault !== "refuses-a-poor-payer";
    return isPoor ? "insufficient_funds" : undefined;
  }

  /** Sends what was signed, signs again at a higher price, or with another nonce after a loss. */
  async function send(key: string, { authorization, signature }: Payment): Promise<void> {
    const data = transferCall({ authorization, signature });
    const [price, count] = await Promise.all([rpc<Hex>("eth_gasPrice"), countOf("latest")]);
    const doubled = BigInt(price) * 2n;
    const gasPrice = doubled > gasPriceMinWei ? doubled : gasPriceMinWei;
    const open = transactions.find(key);
    if (open && count > open.nonce) {
      // A block came since the transfer was looked for. What moved the money stays written down, since
      // a reorganisation may bring back its nonce; what reverted is signed anew, but for one that never
      // ends what it has sent.
      const isMoved = (await findTransfer({ rpc, token }, authorization)) !== undefined;
      const isKept = isMoved || fault === "expires-while-pending";
      return isKept ? undefined : transactions.forget(key, count);
    }
    if (fault === "killed-after-the-send" && transactions.isOfEarlierProcess(key)) {
      // As one that wrote nothing down and asks the node for its wallet's next nonce.
      const pending = await countOf("pending");
      const isNews = open !== undefined && !taken.has(open.raw);
      if (isNews && pending > open.nonce) transactions.forget(key, pending);
    }
    const isDear = open !== undefined && gasPrice > BigInt(open.gasPriceWei);
    const isReplaced = isDear && fault !== "stuck-transaction";
    if (!transactions.find(key) || isReplaced) transactions.sign(key, data, gasPrice);
    // The node may know it, or have dropped it: what the chain shows decides.
    for (const { key: owner, nonce, raw } of transactions.all()) {
      if (nonce >= count && !isLeftOut(owner, raw)) await sendRaw(raw);
    }
  }

  async function sendRaw(raw: Hex): Promise<void> {
    try {
      await rpc("eth_sendRawTransaction", [raw]);
      taken.add(raw);
    } catch (error) {
      const how = error instanceof NodeFault ? error.how : undefined;
      if (how === "cut" && fault === "send-answer-lost") throw new GivenUp("no answer");
      if (how === "unavailable" && fault === "send-refused") throw new GivenUp("unavailable");
    }
  }

  function isLeftOut(key: string, raw: Hex): boolean {
    if (fault === "killed-before-the-send") return transactions.isOfEarlierProcess(key);
    return fault === "node-forgets-the-transaction" && taken.has(raw);
  }

  return {
    refusalOf,
    head: async () => Number(await rpc<Hex>("eth_blockNumber")),
    /** Looks once, and moves the payment on; undefined while its outcome is open. */
    async moveOn(request: Request, key: string): Promise<JsonObject | undefined> {
      const { authorization } = request.payment;
      const reason = await refusalOf(request, transactions.find(key) ? "sent" : "settle");
      // After the other reads: a block between them would show a used nonce without its transfer.
      const transaction = await findTransfer({ rpc, token }, authorization);
      if (transaction) taken.clear();
      const believed = await believe(request, key, { transfer: transaction, reason });
      if (believed) return believed;
      if (transaction) return { ...answerOf(request), success: true, transaction };
      if (reason !== undefined) return refused(request, reason);
      await send(key, request.payment);
      return undefined;
    },
  };
}
