/** The gateway's own error responses as pages for browsers. Those of an upstream stay as they are. */
import {
  htmlPageHeaders,
  pageVary,
  prefersPage,
  writeErrorPage,
  type PageRequest,
} from "@farthing/protocol";
import type { GatewayConfig } from "./configuration/configuration.ts";
import { problemOf } from "./error-response.ts";
import { pageLinks } from "./front-page.ts";
import { HeaderFields } from "./headers/header-fields.ts";
import type { Outgoing } from "./write-response.ts";

export interface ErrorPageRequest extends PageRequest {
  readonly requestId: string;
}

export function createErrorPages({ discovery }: GatewayConfig) {
  const pageHeaders = htmlPageHeaders();
  /** Returns the page in place of an error response, and every other response unchanged. */
  return (response: Outgoing, { requestId, ...request }: ErrorPageRequest): Outgoing => {
    const problem = problemOf(response);
    if (!discovery.page || !problem) return response;
    const { status, headers: own } = response;
    own.append("Vary", pageVary);
    if (!prefersPage(request)) return response;
    const headers = own instanceof HeaderFields ? own.toHeaders() : own;
    for (const [name, value] of Object.entries(pageHeaders)) headers.set(name, value);
    const page = writeErrorPage({ status, ...problem, requestId, links: pageLinks });
    return new Response(page, { status, headers });
  };
}
