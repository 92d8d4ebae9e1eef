/** Whether the response to a request of the service is shown to a person. */
import { prefersPage as prefersPageAsIs } from "@farthing/protocol";
import type { FastifyRequest } from "fastify";

/** True for what a browser opens, and for what it shows after a form was sent. */
export function prefersPage({ method, headers }: Pick<FastifyRequest, "method" | "headers">) {
  const isForm = method === "POST" && headers["sec-fetch-mode"] === "navigate";
  return prefersPageAsIs({ method: isForm ? "GET" : method, headers });
}
