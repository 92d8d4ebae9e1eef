/** Whether the response to a request is shown to a person. */
import type { IncomingHttpHeaders } from "node:http";
import { prefersHtml } from "@farthing/protocol";

/** On what the answer depends, for caches. */
export const pageVary = "Accept, Sec-Fetch-Mode";

export interface Preference {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
}

export function prefersPage({ method, headers }: Preference): boolean {
  const preferences = new Headers();
  for (const name of ["accept", "sec-fetch-mode"] as const) {
    const value = headers[name];
    if (typeof value === "string") preferences.set(name, value);
  }
  return prefersHtml({ method, headers: preferences });
}
