/** The results of a run in numbers. */
import type { CaseResult } from "../run/conform-case.ts";

/** Cases by verdict. */
export function countVerdicts(results: readonly CaseResult[]) {
  const count = (wanted: CaseResult["verdict"]) =>
    results.filter(({ verdict }) => verdict === wanted).length;
  return { pass: count("pass"), fail: count("fail"), notApplicable: count("not applicable") };
}
