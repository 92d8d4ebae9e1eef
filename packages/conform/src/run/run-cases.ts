/** Runs cases one after another, each within a time limit. */
import type { CaseResult, ConformCase, Observation } from "./conform-case.ts";

/** The longest case waits a minute for an answer, and half a minute for one that never comes. */
const caseMsMax = 180_000;

/** Runs every case; the bench is renewed after one that was harmful or did not pass. */
export async function runCases<Bench>(
  cases: readonly ConformCase<Bench>[],
  bench: Bench,
  renew: () => Promise<void>,
  onResult: (result: CaseResult) => void = () => undefined,
): Promise<readonly CaseResult[]> {
  const results: CaseResult[] = [];
  for (const one of cases) {
    const startedMs = performance.now();
    const observed = await observe(one, bench);
    const { name, profile, rule, source } = one;
    const ms = Math.round(performance.now() - startedMs);
    const result = { name, profile, rule, source, ...conclude(observed), ms };
    results.push(result);
    onResult(result);
    const isLast = results.length === cases.length;
    if (!isLast && (one.isHarmful === true || result.verdict === "fail")) await renew();
  }
  return results;
}

function conclude(observed: Observation): Pick<CaseResult, "verdict" | "sent" | "came" | "reason"> {
  if ("notApplicable" in observed) {
    return { verdict: "not applicable", sent: "", came: "", reason: observed.notApplicable };
  }
  const { sent, came, problems } = observed;
  return {
    verdict: problems.length === 0 ? "pass" : "fail",
    sent,
    came,
    reason: problems.join("; "),
  };
}

/** A case that cannot be carried out has failed: what the subject did prevented it. */
async function observe<Bench>(one: ConformCase<Bench>, bench: Bench): Promise<Observation> {
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<never>((_, reject) => {
    const error = new Error(`the case did not end within ${caseMsMax / 1000} s`);
    timer = setTimeout(() => reject(error), caseMsMax);
  });
  try {
    return await Promise.race([one.run(bench), timeUp]);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { sent: "", came: "", problems: [problem] };
  } finally {
    clearTimeout(timer);
  }
}
