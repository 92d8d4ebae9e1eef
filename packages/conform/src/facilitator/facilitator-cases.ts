/** All cases about facilitators, in the order of a run. */
import type { ConformCase } from "../run/conform-case.ts";
import { chainEventCases } from "./chain-events.ts";
import { equalCallCases } from "./equal-calls.ts";
import type { FacilitatorBench } from "./facilitator-bench.ts";
import { lostAnswerCases } from "./lost-answers.ts";
import { messageCases } from "./messages.ts";
import { nodeFaultCases } from "./node-faults.ts";
import { facilitatorRefusalCases } from "./refusals.ts";
import { termsCases } from "./terms.ts";

export const facilitatorCases: readonly ConformCase<FacilitatorBench>[] = [
  ...messageCases,
  ...facilitatorRefusalCases,
  ...equalCallCases,
  ...termsCases,
  ...lostAnswerCases,
  ...nodeFaultCases,
  ...chainEventCases,
];
