/**
 * Checks the block of each payment reading against the followed chain. A faulty node may name a
 * block that does not exist, and a search that starts above the head never finds the payment's
 * event.
 */
import { Fault } from "../base/fault.ts";
import type { ChainView } from "./chain-view.ts";
import { reachOf } from "./head-belief.ts";
import type { PaymentReader } from "./payment-reader.ts";

/**
 * Replaces a block that the chain cannot have reached by the followed head. That is safe, since
 * what is unused at a block was unused before. Throws `rpc_unavailable` before the first head.
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
