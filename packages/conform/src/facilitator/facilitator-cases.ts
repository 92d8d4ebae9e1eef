/** All cases about facilitators, in the order of a run. */
import type { ConformCase } from "../run/conform-case.ts";
import { equalCallCases } from "./equal-calls.ts";
import type { FacilitatorBench } from "./facilitator-bench.ts";

export const facilitatorCases: readonly ConformCase<FacilitatorBench>[] = [...equalCallCases];
