/**
 * The sellers of a soak. Each presents its buyer's payment to one of the serving processes. When the
 * connection breaks or there is no result, it presents the same payment again, until it has an
 * outcome. Every response is recorded.
 */
import { isObject, toWireAuthorization, type ChainId, type JsonObject } from "@farthing/protocol";
import type { CallerResponse } from "@farthing/lab/audit";
import { requestBody } from "@farthing/lab/token-calls";
import type { Fleet } from "./fleet.ts";
import type { GivenBack, SoakPayment } from "./plan.ts";

/** The result of one seller. */
export interface Outcome {
  readonly payment: number;
  /** The last word: `confirmed`, `paid`, `failed`, `refused`, or `none` when it gave up. */
  readonly word: string;
  /** From the first question to the last answer. */
  readonly ms: number;
}

/** All sellers. */
export interface Callers {
  readonly responses: readonly CallerResponse[];
  readonly outcomes: readonly Outcome[];
  /** Requests without a response from a process that was neither killed nor frozen. */
  readonly unanswered: readonly string[];
  /** Payments that have been confirmed to a seller. */
  confirmed(): number;
  /**
   * Presents all payments, so many at a time, and gives some of them back as soon as they are final;
   * resolves when every seller has its result.
   */
  settleAll(
    payments: readonly SoakPayment[],
    givenBack: readonly GivenBack[],
    terms: SettleTerms,
  ): Promise<void>;
  /** Asks for the outcome of each payment once more. */
  askAtLast(payments: readonly SoakPayment[], inFlight: number): Promise<void>;
}

export interface SettleTerms {
  readonly inFlight: number;
  /** Resolves when the payment at this place of the list may be presented. */
  mayBegin(place: number): Promise<void>;
}

export interface CallersDeps {
  readonly chainId: ChainId;
  readonly fleet: Fleet;
  /** API keys by payout address, for the public surface. */
  readonly keys: ReadonlyMap<string, string>;
}

/** How long a question may take: twice as long as an answer is ever held. */
const askMs = 60_000;

/** Seconds that a seller who was told an id waits for its outcome in one question. */
const waitSeconds = 20;

/** Pause after a request without a result; processes restart within a second or two. */
const pauseMs = 250;

/** When a seller gives up: eight times a lease, in which every wallet moves on several times. */
const responseTimeoutMs = 120_000;

interface Question {
  readonly asked: "settle" | "look";
  readonly path: string;
  readonly body?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly isLast?: boolean;
}

export function createCallers(deps: CallersDeps): Callers {
  const { responses, unanswered, ids, confirmed, send, ask, presents, looks } =
    createQuestions(deps);
  const outcomes: Outcome[] = [];
  /** One seller without an outcome fails the soak; the others need not wait as long. */
  const givenUp = new AbortController();

  /** One seller's part. */
  async function settle(payment: SoakPayment): Promise<void> {
    const { index, manner } = payment;
    const startedAt = performance.now();
    const presenting = presents(payment);
    let id: string | undefined;
    let word = "none";
    while (word === "none" && !givenUp.signal.aborted) {
      // Who waits for the outcome presents the payment again; who was given an id asks by it.
      const wait = `?wait=${waitSeconds}`;
      const question = id === undefined ? presenting : looks(payment, id, wait);
      const { status, body } = await ask(index, question);
      if (manner !== "sync" && typeof body["id"] === "string") id = body["id"];
      // A claim that the database has lost before it was sent is nowhere any more.
      if (status === 404) id = undefined;
      word = wordOf(status, body);
      if (word === "none") await pause();
      const isOver = performance.now() - startedAt > responseTimeoutMs;
      if (word === "none" && isOver) givenUp.abort();
    }
    outcomes.push({ payment: index, word, ms: performance.now() - startedAt });
  }

  async function settleByAll(payment: SoakPayment): Promise<void> {
    await Promise.all(Array.from({ length: payment.callers }, () => settle(payment)));
  }

  /** Asks again until an answer will do, or everybody has given up. */
  async function persist(isEnough: () => Promise<boolean>): Promise<void> {
    const startedAt = performance.now();
    while (!givenUp.signal.aborted && !(await isEnough())) {
      if (performance.now() - startedAt > responseTimeoutMs) givenUp.abort();
      else await pause();
    }
  }

  /** The payee's part: nothing goes back before the payment is final. */
  async function giveBack({ payment, parts, excess }: GivenBack): Promise<void> {
    const id = ids.get(payment.index);
    // Its sellers were told no id, which the audit finds.
    if (id === undefined) return;
    await persist(async () => {
      const { body } = await ask(payment.index, looks(payment, id, ""));
      return body["finalized"] === true;
    });
    const [first, ...others] = parts;
    if (first) await settleByAll(first);
    const refused = persist(async () => {
      return (await send(payment.index, presents(excess))).status === 200;
    });
    await Promise.all([refused, ...others.map(settleByAll)]);
  }

  return {
    responses,
    outcomes,
    unanswered,
    confirmed: () => confirmed.size,
    async settleAll(payments, givenBack, { inFlight, mayBegin }) {
      const givingBack: Promise<void>[] = [];
      await atOnce([...payments.entries()], inFlight, async ([place, payment]) => {
        await mayBegin(place);
        await settleByAll(payment);
        const returned = givenBack.find((one) => one.payment === payment);
        if (returned) givingBack.push(giveBack(returned));
      });
      await Promise.all(givingBack);
    },
    askAtLast: (payments, inFlight) =>
      atOnce(payments, inFlight, async (payment) => {
        const id = ids.get(payment.index);
        if (id === undefined) return;
        await ask(payment.index, { ...looks(payment, id, ""), isLast: true });
      }),
  };
}

/** Asks the serving processes in turn, and keeps every response and what it shows of its payment. */
function createQuestions({ chainId, fleet, keys }: CallersDeps) {
  const responses: CallerResponse[] = [];
  const unanswered: string[] = [];
  const ids = new Map<number, string>();
  const confirmed = new Set<number>();
  let turn = 0;

  async function send(payment: number, question: Question): Promise<Got> {
    const serving = fleet.serving();
    const server = serving[turn++ % serving.length];
    const url = server?.url();
    const got = url === undefined ? silence : await fetchFrom(url, question);
    if (server && got.status === 0 && !server.isTold() && !server.isFrozen()) {
      const what = `${question.asked} of process ${server.pid}: ${got.problem}`;
      unanswered.push(`payment ${payment}: ${what}`);
    }
    return got;
  }

  async function ask(payment: number, question: Question): Promise<CallerResponse> {
    const { asked, isLast = false } = question;
    const askedAfter = responses.length;
    const { status, body } = await send(payment, question);
    const response: CallerResponse = { payment, asked, askedAfter, status, body, isLast };
    responses.push(response);
    if (typeof body["id"] === "string") ids.set(payment, body["id"]);
    if (body["status"] === "confirmed") confirmed.add(payment);
    return response;
  }

  function headersOf({ manner, authorization, refundOf }: SoakPayment): Question["headers"] {
    const payee = refundOf === undefined ? authorization.to : authorization.from;
    const key = manner === "public" ? keys.get(payee) : undefined;
    return {
      "content-type": "application/json",
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(manner === "async" ? { prefer: "respond-async" } : {}),
    };
  }

  function presents(payment: SoakPayment): Question {
    const headers = headersOf(payment);
    if (payment.refundOf !== undefined) {
      const authorization = toWireAuthorization(payment.authorization);
      const settlementId = ids.get(payment.refundOf);
      const body = JSON.stringify({ settlementId, authorization, signature: payment.signature });
      return { asked: "settle", path: "/v1/refunds", body, headers };
    }
    const body = JSON.stringify(requestBody(chainId, payment));
    return { asked: "settle", path: `${pathOfSurface(payment)}/settle`, body, headers };
  }

  function looks(payment: SoakPayment, id: string, query: string): Question {
    const path = `${pathOfSurface(payment)}/settlements/${id}${query}`;
    return { asked: "look", path, headers: headersOf(payment) };
  }

  return { responses, unanswered, ids, confirmed, send, ask, presents, looks };
}

function pathOfSurface({ manner }: SoakPayment): string {
  return manner === "public" ? "" : "/api/facilitator";
}

interface Got {
  /** 0 without an answer. */
  readonly status: number;
  readonly body: JsonObject;
  readonly problem?: string;
}

const silence: Got = { status: 0, body: {} };

async function fetchFrom(url: string, { path, body, headers }: Question): Promise<Got> {
  try {
    const response = await fetch(`${url}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers,
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.timeout(askMs),
    });
    const read: unknown = await response.json();
    return { status: response.status, body: isObject(read) ? read : {} };
  } catch (error) {
    return { ...silence, problem: reasonOf(error) };
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}

/** The outcome in a response, `none` while it is open. */
function wordOf(httpStatus: number, { status, errorReason }: JsonObject): string {
  // The success was told before, to this seller or to one who asked at the same time.
  if (httpStatus === 409 && errorReason === "already_settled") return "paid";
  if (httpStatus !== 200 || status === "pending") return "none";
  return typeof status === "string" ? status : "refused";
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, pauseMs));
}

/** Works through a list, so many at a time. */
async function atOnce<Item>(
  items: readonly Item[],
  most: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items.values();
  const worker = async () => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: most }, worker));
}
