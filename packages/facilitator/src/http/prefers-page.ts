/** Whether the response to a request is shown to a person. */
import { prefersHtml } from "@farthing/protocol";
import type { FastifyRequest } from "fastify";

/** On what the answer depends, for caches. */
export const pageVary = "Accept, Sec-Fetch-Mode";

/** True for what a browser opens, and for what it shows after a form was sent. */
export function prefersPage({ method, headers }: Pick<FastifyRequest, "method" | "headers">) {
  const preferences = new Headers();
  for (const name of ["accept", "sec-fetch-mode"] as const) {
    const value = headers[name];
    if (typeof value === "string") preferences.set(name, value);
  }
  const isForm = method === "POST" && headers["sec-fetch-mode"] === "navigate";
  return prefersHtml({ method: isForm ? "GET" : method, headers: preferences });
}
