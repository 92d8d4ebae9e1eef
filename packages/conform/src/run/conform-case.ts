/** What a case is, and what a run of it found. */

/** What is tested. */
export const roles = ["facilitator", "seller", "buyer"] as const;
export type Role = (typeof roles)[number];

/** `spec` is about messages, `money` about what may never happen to a payment. */
export const profiles = ["spec", "money"] as const;
export type Profile = (typeof profiles)[number];

/** One rule, and the way to try whether a subject keeps it. */
export interface ConformCase<Bench> {
  /** Stable: reports and planted faults refer to it. */
  readonly name: string;
  readonly profile: Profile;
  /** A sentence about the subject. */
  readonly rule: string;
  /** The clause of the specification, or the promise that it stands for. */
  readonly source: string;
  /** Cases without which this one fails too. */
  readonly standsOn?: readonly string[];
  /** Whether the subject and its wallets may be left unusable, so that the next case starts afresh. */
  readonly isHarmful?: boolean;
  run(bench: Bench): Promise<Observation>;
}

/** What one case saw. No problems: the subject keeps the rule. */
export type Observation =
  | { readonly sent: string; readonly came: string; readonly problems: readonly string[] }
  | { readonly notApplicable: string };

export type Verdict = "pass" | "fail" | "not applicable";

/** A case with its verdict, as all reports show it. */
export interface CaseResult {
  readonly name: string;
  readonly profile: Profile;
  readonly rule: string;
  readonly source: string;
  /** Cases without which this one fails too. */
  readonly standsOn: readonly string[];
  readonly verdict: Verdict;
  readonly sent: string;
  readonly came: string;
  /** Why it failed or does not apply; "" after a pass. */
  readonly reason: string;
  readonly ms: number;
}

/** Who follows a run, and may end it. */
export interface RunWatch {
  /** A case begins. */
  onCase?(name: string): void;
  onResult?(result: CaseResult): void;
  /** What the subject prints. */
  onOutput?(text: string): void;
  /** Ends the run, which rejects with its reason. */
  readonly signal?: AbortSignal;
}

/** One run of the kit against one subject. */
export interface ConformReport {
  readonly role: Role;
  /** The command line of the subject. */
  readonly subject: string;
  readonly profiles: readonly Profile[];
  readonly results: readonly CaseResult[];
}
