/** All cases about facilitators, in the order of a run. */
import type { ConformCase } from "../run/conform-case.ts";
import { chainEventCases } from "./chain-events.ts";
import { equalCallCases } from "./equal-calls.ts";
import type { FacilitatorBench } from "./facilitator-bench.ts";
import { lostAnswerCases } from "./lost-answers.ts";
import { nodeFaultCases } from "./node-faults.ts";
import { termsCases } from "./terms.ts";

export const facilitatorCases: readonly ConformCase<FacilitatorBench>[] = [
  ...equalCallCases,
  ...termsCases,
  ...lostAnswerCases,
  ...nodeFaultCases,
  ...chainEventCases,
];
