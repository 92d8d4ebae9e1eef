/** What a check found: one line for a person, with what to do when something is wrong. */

/** `warn` works, and should be looked at; `fail` must be fixed. */
export type CheckStatus = "ok" | "warn" | "fail";

/** One finding. Holds no secret. */
export interface CheckLine {
  /** What was looked at: `chain id`, `endpoint 0`. */
  readonly name: string;
  readonly status: CheckStatus;
  /** What was found. */
  readonly text: string;
  /** What to do about it; "" when nothing has to be done. */
  readonly fix: string;
}

/** All is well. */
export function ok(name: string, text: string): CheckLine {
  return { name, status: "ok", text, fix: "" };
}

/** It works, and should be looked at. */
export function warn(name: string, text: string, fix: string): CheckLine {
  return { name, status: "warn", text, fix };
}

/** It must be fixed. */
export function fail(name: string, text: string, fix: string): CheckLine {
  return { name, status: "fail", text, fix };
}

/** The finding and what to do about it, in one sentence. */
export function sentenceOf({ text, fix }: CheckLine): string {
  return fix === "" ? text : `${text}; ${fix}`;
}
