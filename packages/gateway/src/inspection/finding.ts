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

export function ok(name: string, text: string): Finding {
  return { name, status: "ok", text, fix: "" };
}

export function warn(name: string, text: string, fix: string): Finding {
  return { name, status: "warn", text, fix };
}

export function fail(name: string, text: string, fix: string): Finding {
  return { name, status: "fail", text, fix };
}

export function nameOf({ name, index }: RouteConfig): string {
  return name === "default" ? name : `routes[${index}] ${name}`;
}
