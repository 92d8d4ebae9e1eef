/** The result of a check: one line for the operator, with a fix when something is wrong. */

export type CheckStatus = "ok" | "warn" | "fail";

/** Contains no secret. */
export interface CheckLine {
  /** What was checked: `chain id`, `endpoint 0`. */
  readonly name: string;
  readonly status: CheckStatus;
  readonly text: string;
  /** Empty when nothing has to be done. */
  readonly fix: string;
}

export function ok(name: string, text: string): CheckLine {
  return { name, status: "ok", text, fix: "" };
}

/** The check passed; the operator should look at it. */
export function warn(name: string, text: string, fix: string): CheckLine {
  return { name, status: "warn", text, fix };
}

export function fail(name: string, text: string, fix: string): CheckLine {
  return { name, status: "fail", text, fix };
}

export function sentenceOf({ text, fix }: CheckLine): string {
  return fix === "" ? text : `${text}; ${fix}`;
}
