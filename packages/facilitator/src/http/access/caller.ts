/** A request as authentication, limits and payments know it: Fastify's own, or a call of a worker. */
import type { IncomingHttpHeaders } from "node:http";
import type { RequestKey } from "./request-key.ts";

export interface CallerRequest {
  readonly id: string;
  /** The caller's address, of which trusted proxies tell. */
  readonly ip: string;
  readonly headers: IncomingHttpHeaders;
  /** Null on surfaces without keys. */
  apiKey: RequestKey | null;
}

/** The headers of a response that is not written yet. */
export interface ResponseHead {
  header(name: string, value: string | number): unknown;
}
