/** The methods that tell the state of the store itself, for the scenario of all methods. */
import type { ChainId } from "@farthing/protocol";
import type { ServiceStore } from "../../src/features/open-store.ts";

export async function readState(store: ServiceStore, chainId: ChainId): Promise<void> {
  await store.countOpenSettlements(chainId);
  await store.countWaitingDeliveries();
  await store.changeFee(undefined, { rule: "1", credits: 1 }, 1);
  const fee = await store.readFee();
  await store.changeFee(fee, { rule: "1", credits: (fee?.credits ?? 0) + 1 }, 2);
  await store.measureSize();
  await store.ping();
  await store.checkWritable();
  await store.addServiceHistory(
    chainId,
    {
      availability: [{ slot: 9, looked: 3, available: 1 }],
      latency: [{ hour: 4, within: 3, settlements: 1 }],
    },
    { slot: 1, hour: 1 },
  );
  await store.readServiceHistory(chainId);
}
