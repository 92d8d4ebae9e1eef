/** One run of the kit against many faulty subjects: each meets the cases that are given for it. */
import type { CaseResult, ConformCase } from "../run/conform-case.ts";

/** A fault, and the cases that its subject meets. */
export interface Planted<Bench, Fault> {
  readonly fault: Fault;
  readonly cases: readonly ConformCase<Bench>[];
}

/** The case of a fault and those that stand on it: what has to fail, and nothing else. */
export function failingCases<Bench>(
  cases: readonly ConformCase<Bench>[],
  fault: string,
): readonly ConformCase<Bench>[] {
  return cases.filter(({ name, standsOn = [] }) => name === fault || standsOn.includes(fault));
}

/** The cases of all subjects in a row, and the fault of the subject that is started next. */
export function inARow<Bench, Fault>(planted: readonly Planted<Bench, Fault>[]) {
  let next = 0;
  const cases = planted.flatMap((one) =>
    one.cases.map((tried, index): ConformCase<Bench> => {
      if (index < one.cases.length - 1) return tried;
      // A harmful case starts the next subject.
      const run = async (bench: Bench) => {
        try {
          return await tried.run(bench);
        } finally {
          next++;
        }
      };
      return { ...tried, isHarmful: true, run };
    }),
  );
  return {
    cases,
    fault: (): Fault | undefined => planted[next]?.fault,
    /** Names of the cases that failed, by fault. */
    failed(results: readonly CaseResult[]): readonly (readonly [Fault, readonly string[]])[] {
      const left = [...results];
      return planted.map(({ fault, cases: { length } }) => {
        const own = left.splice(0, length).filter(({ verdict }) => verdict === "fail");
        return [fault, own.map(({ name }) => name)] as const;
      });
    },
  };
}

/** Tries faults beside each other, so many at once. */
export async function inLanes<Fault, Found>(
  faults: readonly Fault[],
  lanes: number,
  run: (fault: Fault) => Promise<Found>,
): Promise<readonly (readonly [Fault, Found])[]> {
  const left = [...faults];
  const found: (readonly [Fault, Found])[] = [];
  async function lane(): Promise<void> {
    for (let fault = left.shift(); fault !== undefined; fault = left.shift()) {
      found.push([fault, await run(fault)]);
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane));
  return found;
}
