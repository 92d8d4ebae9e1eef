/** Runs cases one after another, each within a time limit. */
import type { CaseResult, ConformCase, Observation, RunWatch } from "./conform-case.ts";
import { CommandError } from "./subject.ts";

/** The longest case waits a minute for an answer, and half a minute for one that never comes. */
const caseMsMax = 180_000;

/** Runs every case; the bench is renewed after one that was harmful or did not pass. */
export async function runCases<Bench>(
  cases: readonly ConformCase<Bench>[],
  bench: Bench,
  renew: () => Promise<void>,
  watch: RunWatch = {},
): Promise<readonly CaseResult[]> {
  const results: CaseResult[] = [];
  for (const one of cases) {
    const { name, profile, rule, source, standsOn = [] } = one;
    watch.onCase?.(name);
    const startedMs = performance.now();
    const observed = await observe(one, bench, watch.signal);
    const ms = Math.round(performance.now() - startedMs);
    const result = { name, profile, rule, source, standsOn, ...conclude(observed), ms };
    results.push(result);
    watch.onResult?.(result);
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
    reason: [...new Set(problems)].join("; "),
  };
}

/** A case that cannot be carried out has failed: what the subject did prevented it. */
async function observe<Bench>(
  one: ConformCase<Bench>,
  bench: Bench,
  signal: AbortSignal | undefined,
): Promise<Observation> {
  const ended = Promise.withResolvers<never>();
  const end = () => ended.reject(signal?.reason);
  signal?.addEventListener("abort", end);
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<never>((_, reject) => {
    const error = new Error(`the case did not end within ${caseMsMax / 1000} s`);
    timer = setTimeout(() => reject(error), caseMsMax);
  });
  try {
    signal?.throwIfAborted();
    return await Promise.race([one.run(bench), timeUp, ended.promise]);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof CommandError) throw error;
    const problem = error instanceof Error ? error.message : String(error);
    return { sent: "", came: "", problems: [problem] };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", end);
  }
}
