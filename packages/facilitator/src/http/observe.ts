/**
 * Who watches the answers: how long each took, and what /verify and /settle said. Read from the
 * answers as they leave, so that no route has to count.
 */
import { findNetwork, isObject, member } from "@farthing/protocol";
import type { FastifyInstance, FastifyRequest } from "fastify";

/** What was said to a payment; every text is one of a known few. */
export interface Evaluation {
  readonly network: string;
  readonly result: string;
  readonly reason: string;
}

/** An answer, whatever it was about. */
export interface AnswerFacts {
  /** The route's template, such as `/settlements/:id`. */
  readonly route: string;
  readonly method: string;
  readonly status: number;
  readonly seconds: number;
}

/** Is told of answers. */
export interface HttpObserver {
  evaluated(question: "verify" | "settle", evaluation: Evaluation): void;
  answered(answer: AnswerFacts): void;
}

/** Is not interested. */
export const silentObserver: HttpObserver = { evaluated() {}, answered() {} };

/** Methods that there are routes for; anybody may send others. */
const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Tells the observer of every answer of a server. */
export function observeAnswers(server: FastifyInstance, observer: HttpObserver): void {
  server.addHook("onResponse", (request, reply, done) => {
    observer.answered({
      route: routeOf(request) ?? "none",
      method: methods.has(request.method) ? request.method : "other",
      status: reply.statusCode,
      seconds: reply.elapsedTime / 1000,
    });
    done();
  });
  server.addHook("preSerialization", (request, _reply, payload: unknown, done) => {
    const question = /\/(verify|settle)$/.exec(routeOf(request) ?? "")?.[1];
    if (isObject(payload) && (question === "verify" || question === "settle")) {
      const network = networkOf(request.body);
      const said = question === "verify" ? verdictOf(payload) : outcomeOf(payload);
      observer.evaluated(question, { network, ...said });
    }
    done(null, payload);
  });
}

function routeOf(request: FastifyRequest): string | undefined {
  return request.routeOptions.url;
}

type Answer = Readonly<Record<string, unknown>>;

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "none";
}

function verdictOf(answer: Answer): Omit<Evaluation, "network"> {
  const { error, isValid, invalidReason } = answer;
  if (error !== undefined) return { result: "not_judged", reason: textOf(error) };
  return isValid === true
    ? { result: "valid", reason: "none" }
    : { result: "invalid", reason: textOf(invalidReason) };
}

function outcomeOf(answer: Answer): Omit<Evaluation, "network"> {
  const { error, status, errorReason } = answer;
  if (error !== undefined) return { result: "not_judged", reason: textOf(error) };
  if (status === undefined) return { result: "refused", reason: textOf(errorReason) };
  const reason = status === "failed" ? textOf(errorReason) : "none";
  return { result: textOf(status), reason };
}

/** The network that a request is about, by its CAIP-2 name; whatever else was written is `none`. */
function networkOf(body: unknown): string {
  if (!isObject(body)) return "none";
  const names = ["paymentRequirements", "paymentPayload"].map((key) => {
    const part = member(body, key);
    return isObject(part) ? member(part, "network") : undefined;
  });
  return names.map(findNetwork).find((network) => network !== undefined)?.id ?? "none";
}
