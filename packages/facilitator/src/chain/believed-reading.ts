/**
 * What is read of payments, held to the chain that is followed. A node that is ill may name a block
 * out of nothing, and whoever believes it looks above the head for what happened, for ever.
 */
import { Fault } from "../base/fault.ts";
import type { ChainView } from "./chain-view.ts";
import { reachOf } from "./head-belief.ts";
import type { PaymentReader } from "./payment-reader.ts";

/**
 * Wraps a reader: a block that the chain cannot have reached is replaced by the followed head, which
 * holds as well for all that matters, since what is unused at a block was unused before. Throws
 * `rpc_unavailable` while no head was seen.
 */
export function believeReadings(
  read: PaymentReader,
  view: () => ChainView | undefined,
): PaymentReader {
  return async (check) => {
    const reading = await read(check);
    const seen = view();
    if (!seen) throw new Fault("rpc_unavailable", "No block of the network was seen yet");
    const { head, seenSecondsAgo } = seen;
    const isInReach = reading.blockNumber <= reachOf(head.number, seenSecondsAgo);
    return isInReach ? reading : { ...reading, blockNumber: head.number };
  };
}
