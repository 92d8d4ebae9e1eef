/**
 * Answers the calls that workers have read: admission, evaluation, and what is observed of both, as the
 * HTTP server of this process does it for its own requests.
 */
import { assert } from "@farthing/engine/base";
import { evaluationOf } from "../http/server/observe.ts";
import { admission } from "../http/access/authenticate.ts";
import type { CallerRequest, ResponseHead } from "../http/access/caller.ts";
import type { RouteLimits } from "../http/access/limits.ts";
import type { RequestKey } from "../http/access/request-key.ts";
import { HttpProblem, problemResponse } from "../http/messages/responses.ts";
import type { Intake } from "../http/server/intake.ts";
import type { KeyedCall } from "../http/server/observe-calls.ts";
import { logProblem } from "../http/server/send-problem.ts";
import { startRequestSpan, type RequestTracing } from "../http/server/trace-requests.ts";
import type { PaymentContext } from "../payments/context.ts";
import type { AskedPayment, PaymentAnswer, PaymentCall } from "../payments/payment-call.ts";
import type { PaymentRoute } from "../payments/payment-route.ts";
import { settleRoute } from "../payments/settle.ts";
import { verifyRoute } from "../payments/verify.ts";
import { readAskedMessage, type ToldPayment } from "./asked-message.ts";
import type { AnswerMessage, CallMessage, EndMessage, ProblemMessage } from "./messages.ts";

export interface CallDeskDeps {
  readonly context: PaymentContext;
  readonly limits: RouteLimits;
  readonly intake: Intake;
  readonly tracing: RequestTracing | undefined;
  readonly callObservers: readonly ((call: KeyedCall) => void)[];
}

/** The calls of one worker. */
export interface CallDesk {
  take(message: CallMessage): void;
  end(message: EndMessage): void;
  /** The worker is gone: responses that have not ended were not delivered. */
  abandon(): void;
}

/** What is counted of each route of a surface. */
interface Counter {
  readonly route: PaymentRoute;
  readonly surface: PaymentContext["surfaces"][number];
  readonly path: string;
  readonly admit: ReturnType<typeof admission>;
}

/** Returns the maker of desks; they share the limits. */
export function createCallDesks(deps: CallDeskDeps) {
  const { context, limits } = deps;
  const counters = context.surfaces.map((surface) =>
    [verifyRoute, settleRoute].map((route): Counter => {
      const throttle = route === settleRoute ? limits.settleThrottle : limits.throttle;
      const path = `${surface.basePath}/${route.name}`;
      return { route, surface, path, admit: admission(context, surface, throttle) };
    }),
  );
  return (send: (message: AnswerMessage) => void): CallDesk => {
    const open = new Map<number, OpenCall>();
    return {
      take(message) {
        const [, call, route, surface] = message;
        const counter = counters[surface]?.[route];
        if (!counter) return;
        const opened = new OpenCall(deps, counter, message);
        open.set(call, opened);
        void opened.answer().then((answer) => send([call, ...answer]));
      },
      end([, call, isWhole, isBegun, status, durationMs]) {
        open.get(call)?.end({ isWhole: isWhole === 1, isBegun: isBegun === 1, status, durationMs });
        open.delete(call);
      },
      abandon() {
        for (const call of open.values()) call.abandon();
        open.clear();
      },
    };
  };
}

/** How the response to a call has ended. */
interface CallEnd {
  readonly isWhole: boolean;
  readonly isBegun: boolean;
  readonly status: number;
  readonly durationMs: number;
}

type Answer = readonly [
  status: number,
  headers: Readonly<Record<string, string | number>> | 0,
  body: object,
];

/** A call from its arrival to the end of its response. */
class OpenCall implements CallerRequest, ResponseHead, PaymentCall {
  readonly id: string;
  readonly ip: string;
  readonly headers: CallerRequest["headers"];
  apiKey: RequestKey | null = null;
  readonly #deps: CallDeskDeps;
  readonly #counter: Counter;
  readonly #message: CallMessage;
  #told: ToldPayment | undefined;
  #head: Record<string, string | number> | 0 = 0;
  #answer: object | undefined;
  #end: CallEnd | undefined;
  #whenEnded: ((end: CallEnd) => void)[] = [];

  constructor(deps: CallDeskDeps, counter: Counter, message: CallMessage) {
    const [, , , , id, ip, , headers] = message;
    this.id = id;
    this.ip = ip;
    this.headers = headers === 0 ? {} : headers;
    this.#deps = deps;
    this.#counter = counter;
    this.#message = message;
  }

  get request(): CallerRequest {
    return this;
  }

  get head(): ResponseHead {
    return this;
  }

  get asked(): AskedPayment {
    assert(this.#told, "a call is admitted before it is evaluated");
    return this.#told.asked;
  }

  header(name: string, value: string | number): void {
    if (this.#head === 0) this.#head = { [name]: value };
    else this.#head[name] = value;
  }

  delivered(): Promise<boolean> {
    return new Promise((resolve) => this.#afterEnd(({ isWhole }) => resolve(isWhole)));
  }

  whenUnwritten(undo: () => void): void {
    this.#afterEnd(({ isBegun }) => {
      if (!isBegun) undo();
    });
  }

  async answer(): Promise<Answer> {
    const { status, body } = await this.#traced(() => this.#evaluate());
    const { context, intake } = this.#deps;
    const { name } = this.#counter.route;
    const networkId = this.#told?.networkId ?? "none";
    context.observer.evaluated(name, evaluationOf(name, networkId, { ...body }));
    if (intake.isDraining()) this.header("Connection", "close");
    this.#answer = body;
    return [status, this.#head, body];
  }

  end(end: CallEnd): void {
    this.#end = end;
    for (const run of this.#whenEnded) run(end);
    // What was not written to its end has no status.
    if (!end.isWhole) return;
    const { status, durationMs } = end;
    const { context, callObservers } = this.#deps;
    const route = this.#counter.path;
    context.observer.responded({ route, method: "POST", status, seconds: durationMs / 1000 });
    const { apiKey: key, id: requestId } = this;
    if (key === null) return;
    const [, , , , , , target] = this.#message;
    for (const observe of callObservers) {
      observe({
        key,
        requestId,
        method: "POST",
        target,
        status,
        durationMs: Math.round(durationMs),
        requestBody: this.#told?.asked.body,
        responseBody: this.#answer,
      });
    }
  }

  /** A response that the worker did not get was not begun; what became of another is unknown. */
  abandon(): void {
    this.end({ isWhole: false, isBegun: this.#answer !== undefined, status: 0, durationMs: 0 });
  }

  #afterEnd(run: (end: CallEnd) => void): void {
    if (this.#end) run(this.#end);
    else this.#whenEnded.push(run);
  }

  async #evaluate(): Promise<PaymentAnswer> {
    const { context } = this.#deps;
    const { route, surface } = this.#counter;
    try {
      await this.#admit();
      return await route.answer(context, surface, this);
    } catch (error) {
      const { status, body, retryAfterSeconds } = problemResponse(error, this.id);
      logProblem(context.log, this.id, error);
      if (retryAfterSeconds !== undefined) this.header("Retry-After", retryAfterSeconds);
      const shape = error instanceof Error ? route.shapeOf(error, this.#networkName()) : {};
      return { status, body: { ...body, ...shape } };
    }
  }

  /** Throws what refuses the request before its payment is looked at, in the order of the server. */
  async #admit(): Promise<void> {
    const { intake } = this.#deps;
    const [, , , , , , , , asked] = this.#message;
    const problem = asked[0] === "problem" ? asked : undefined;
    if (problem && problem[3] === 1) throw problemOf(problem);
    const refused = intake.refuse();
    if (refused) throw refused;
    this.#afterEnd(intake.begin());
    await this.#counter.admit(this, this);
    if (asked[0] === "problem") throw problemOf(asked);
    this.#told = readAskedMessage(asked);
  }

  #networkName(): string {
    return this.#told?.asked.networkName ?? "";
  }

  #traced(evaluate: () => Promise<PaymentAnswer>): Promise<PaymentAnswer> {
    const { tracing } = this.#deps;
    if (!tracing) return evaluate();
    const { id, headers } = this;
    const { path: route } = this.#counter;
    const span = startRequestSpan(tracing, { id, method: "POST", route, headers });
    this.#afterEnd(({ status, isWhole }) => span.end(status, isWhole));
    return span.run(evaluate);
  }
}

/** A bug of a worker, which has logged it, is one of this service. */
function problemOf([, code, message]: ProblemMessage): Error {
  if (code === "internal_error") return new Error("A worker could not read the request");
  return new HttpProblem(code, message);
}
