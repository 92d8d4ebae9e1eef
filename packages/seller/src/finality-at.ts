/** Reads from a node whether the payment of a pass or a top-up is final. */
import { isObject, member } from "@farthing/protocol";
import { callNode } from "./call-node.ts";

/** `void`: the transaction is final, and has moved no money. */
export type Finality = "final" | "void" | "open";

/** Reads the finality of a transaction by its network (CAIP-2) and hash. */
export type ReadFinality = (payment: {
  readonly network: string;
  readonly transaction: string;
}) => Finality | Promise<Finality>;

/** The receipt of a transaction that carries many payments, with their logs. */
const maxReplyBytes = 2 * 1024 * 1024;

/**
 * Returns a `finality` that asks the node at an http or https address. It rejects when the node fails
 * or serves another network.
 */
export function finalityAt(rpcUrl: string): ReadFinality {
  return async ({ network, transaction }) => {
    const call = await callNode(rpcUrl, network, maxReplyBytes);
    const receipt = await call("eth_getTransactionReceipt", [transaction]);
    const finalBlock = await call("eth_getBlockByNumber", ["finalized", false]);
    const [minedIn, final] = [quantityIn(receipt, "blockNumber"), quantityIn(finalBlock, "number")];
    if (minedIn === undefined || final === undefined || minedIn > final) return "open";
    const status = quantityIn(receipt, "status");
    if (status === undefined) return "open";
    return status === 1 ? "final" : "void";
  };
}

function quantityIn(value: unknown, name: string): number | undefined {
  const text = isObject(value) ? member(value, name) : undefined;
  return typeof text === "string" && /^0x[0-9a-f]{1,13}$/i.test(text) ? Number(text) : undefined;
}
