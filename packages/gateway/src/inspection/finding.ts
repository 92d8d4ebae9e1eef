import type { RouteConfig } from "../configuration/configuration.ts";

/** The finding of a check. `warn` deserves a look, `fail` must be fixed. */
export interface Finding {
  /** The subject: `routes[2]`, `facilitator`. */
  readonly name: string;
  readonly status: "ok" | "warn" | "fail";
  readonly text: string;
  /** The fix; "" when there is none. */
  readonly fix: string;
}

/** Returns the name of a route in findings. */
export function nameOf({ name, index }: RouteConfig): string {
  return name === "default" ? name : `routes[${index}] ${name}`;
}
