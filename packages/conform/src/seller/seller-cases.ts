/** All cases about sellers, in the order of a run. */
import type { ConformCase } from "../run/conform-case.ts";
import { facilitatorFaultCases } from "./facilitator-faults.ts";
import { paidOnceCases } from "./paid-once.ts";
import type { SellerBench } from "./seller-bench.ts";
import { sellerMessageCases } from "./seller-messages.ts";
import { unpaidCases } from "./unpaid.ts";

/** Each begins with a facilitator that answers honestly. */
export const sellerCases: readonly ConformCase<SellerBench>[] = [
  ...sellerMessageCases,
  ...unpaidCases,
  ...paidOnceCases,
  ...facilitatorFaultCases,
].map((one) => ({
  ...one,
  run(bench) {
    bench.facilitator.reset();
    return one.run(bench);
  },
}));
