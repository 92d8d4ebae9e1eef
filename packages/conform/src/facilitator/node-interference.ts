/** Interference with the sends of one payment. */
import { carries } from "../chain/chain-facts.ts";
import type { NodeCall, Reaction } from "@farthing/devnet/rpc-proxy";
import type { Hex } from "@farthing/protocol";
import type { FacilitatorBench } from "./facilitator-bench.ts";

/** Whether a call sends a transaction with this authorization. */
export const sends =
  (nonce: Hex) =>
  ({ method, params }: NodeCall): boolean =>
    method === "eth_sendRawTransaction" && carries(params[0], nonce);

/** The first send of a payment meets this reaction; what follows passes. */
export function onFirstSend(
  { node }: FacilitatorBench,
  nonce: Hex,
  reaction: (call: NodeCall) => Reaction,
): void {
  let isMet = false;
  node.react = (call) => {
    if (isMet || !sends(nonce)(call)) return undefined;
    isMet = true;
    return reaction(call);
  };
}

/** Runs once, before or after the node gets the first send of a payment; the send waits for it. */
export function aroundFirstSend(
  { node }: FacilitatorBench,
  nonce: Hex,
  when: "before" | "after",
  act: () => Promise<void>,
): void {
  let isMet = false;
  node.step = async (side, calls) => {
    if (isMet || side !== when || !calls.some(sends(nonce))) return;
    isMet = true;
    await act();
  };
}
