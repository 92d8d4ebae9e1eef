/**
 * A black-box kit for x402 software: it starts a local chain and a subject, injects faults around it,
 * and says which rules the subject keeps.
 * @packageDocumentation
 */
export {
  profiles,
  roles,
  type CaseResult,
  type ConformCase,
  type ConformReport,
  type Observation,
  type Profile,
  type Role,
  type RunWatch,
  type Verdict,
} from "./run/conform-case.ts";
export { SubjectError, type Subject, type SubjectEnvironment } from "./run/subject.ts";
export { runFacilitator, type FacilitatorRun } from "./facilitator/run-facilitator.ts";
export { facilitatorCases } from "./facilitator/facilitator-cases.ts";
export type { FacilitatorBench } from "./facilitator/facilitator-bench.ts";
export { runSeller, type SellerRun } from "./seller/run-seller.ts";
export { sellerCases } from "./seller/seller-cases.ts";
export type { SellerBench } from "./seller/seller-bench.ts";
export { runBuyer, type BuyerRun } from "./buyer/run-buyer.ts";
export { buyerCases, type BuyerBench } from "./buyer/buyer-cases.ts";
export { badgeSvg } from "./reports/badge.ts";
export { countVerdicts } from "./reports/counts.ts";
export { junitReport } from "./reports/junit.ts";
export { resultLines, summaryLines } from "./reports/lines.ts";
