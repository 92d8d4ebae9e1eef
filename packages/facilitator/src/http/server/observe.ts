/**
 * Observation of responses: their times, and the results of /verify and /settle. Both are read from
 * the response when it is sent, so that no route has to count.
 */
import { findNetwork, isObject, member } from "@farthing/protocol";
import type { FastifyInstance, FastifyRequest } from "fastify";

/** The result for a payment. Every text is one of a small, fixed set. */
export interface Evaluation {
  readonly network: string;
  readonly result: string;
  readonly reason: string;
}

export interface ResponseFacts {
  /** The route's template, such as `/settlements/:id`. */
  readonly route: string;
  readonly method: string;
  readonly status: number;
  readonly seconds: number;
}

export interface HttpObserver {
  evaluated(question: "verify" | "settle", evaluation: Evaluation): void;
  responded(response: ResponseFacts): void;
}

export const silentObserver: HttpObserver = { evaluated() {}, responded() {} };

/** Methods of the routes; callers may send others. */
export const methods: ReadonlySet<string> = new Set([
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
]);

export function observeResponses(server: FastifyInstance, observer: HttpObserver): void {
  server.addHook("onResponse", (request, reply, done) => {
    observer.responded({
      route: routeOf(request) ?? "none",
      method: methods.has(request.method) ? request.method : "other",
      status: reply.statusCode,
      seconds: reply.elapsedTime / 1000,
    });
    done();
  });
  server.addHook("preSerialization", (request, _reply, payload: unknown, done) => {
    const question = questionOf(routeOf(request) ?? "");
    if (question && isObject(payload)) {
      const network = firstNetwork(namedNetworks(request.body));
      observer.evaluated(question, evaluationOf(question, network, payload));
    }
    done(null, payload);
  });
}

/** Reads the result of a payment from its response. */
export function evaluationOf(
  question: "verify" | "settle",
  network: string,
  response: ResponseMembers,
): Evaluation {
  return { network, ...(question === "verify" ? resultOf(response) : outcomeOf(response)) };
}

function questionOf(route: string): "verify" | "settle" | undefined {
  if (route.endsWith("/verify")) return "verify";
  return route.endsWith("/settle") ? "settle" : undefined;
}

function routeOf(request: FastifyRequest): string | undefined {
  return request.routeOptions.url;
}

type ResponseMembers = Readonly<Record<string, unknown>>;

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "none";
}

function resultOf(response: ResponseMembers): Omit<Evaluation, "network"> {
  const { error, isValid, invalidReason } = response;
  if (error !== undefined) return { result: "not_judged", reason: textOf(error) };
  return isValid === true
    ? { result: "valid", reason: "none" }
    : { result: "invalid", reason: textOf(invalidReason) };
}

function outcomeOf(response: ResponseMembers): Omit<Evaluation, "network"> {
  const { error, status, errorReason } = response;
  if (error !== undefined) return { result: "not_judged", reason: textOf(error) };
  if (status === undefined) return { result: "refused", reason: textOf(errorReason) };
  const reason = status === "failed" ? textOf(errorReason) : "none";
  return { result: textOf(status), reason };
}

/** Returns the CAIP-2 name of the first known network, or `none`. */
export function firstNetwork(names: readonly unknown[]): string {
  return names.map(findNetwork).find((network) => network !== undefined)?.id ?? "none";
}

/** The networks that the body of /verify or /settle names, as it does. */
export function namedNetworks(body: unknown): unknown[] {
  if (!isObject(body)) return [];
  return ["paymentRequirements", "paymentPayload"].map((key) => {
    const part = member(body, key);
    return isObject(part) ? member(part, "network") : undefined;
  });
}
