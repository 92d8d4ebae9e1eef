/** What a check found: one line for a person, with what to do about it. */

import type { RouteConfig } from "../configuration/configuration.ts";

/** One finding; holds no secret. `warn` works and should be looked at, `fail` must be fixed. */
export interface Finding {
  /** What was looked at: `routes[2]`, `facilitator`. */
  readonly name: string;
  readonly status: "ok" | "warn" | "fail";
  readonly text: string;
  /** What to do about it; "" when nothing has to be done. */
  readonly fix: string;
}

/** How findings name a route. */
export function nameOf({ name, index }: RouteConfig): string {
  return name === "default" ? name : `routes[${index}] ${name}`;
}
