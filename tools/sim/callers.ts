/**
 * The callers of a run: the buyers and sellers of each payment. They record every response, and the
 * audit compares what they were told with the chain.
 */
import { wordsOf, type CallerResponse } from "@farthing/lab/audit";
import { isObject, type JsonObject } from "@farthing/protocol";
import { accessTo, type Surface, type Keys } from "./surfaces.ts";
import type { ResponseTimeouts } from "./response-timeout.ts";
import type { Ask, PlannedPayment } from "./plan.ts";
import type { SeededRandom } from "./seeded-random.ts";
import { requestBody, type SignedPayment } from "@farthing/lab/token-calls";
import type { Trace } from "./trace.ts";

/** The callers; they ask and record the responses. */
export interface Callers {
  readonly responses: readonly CallerResponse[];
  /** Makes a payment's requests, from its block on; resolves when each has its response. */
  play(planned: PlannedPayment, payment: SignedPayment): Promise<void>;
  /** Asks for a payment's outcome once more, by its id and by the payment itself. */
  askAtLast(index: number, payment: SignedPayment): Promise<void>;
  /** Asks something else about a payment, which is not among the responses. */
  request(index: number, question: Question): Promise<Got>;
  /** The id that was told of a payment's settlement. */
  idOf(index: number): string | undefined;
  /** Asks until there is an outcome, a few times at most. */
  payNow(index: number, payment: SignedPayment): Promise<void>;
}

export interface CallersDeps {
  readonly chainId: 50 | 51;
  readonly trace: Trace;
  /** Addresses of the processes; each request goes to one of them, as behind a load balancer. */
  urls(): readonly string[];
  /** Chooses that process. */
  readonly random: (name: string) => SeededRandom;
  /** The surface that is asked at the end of the run. */
  readonly surface: Surface;
  /** Undefined where no surface requires one. */
  readonly keys: Keys | undefined;
  /** The chain's highest head. */
  highest(): number;
  /** The newest block's time, in Unix seconds. */
  headTime(): number;
  /** Resolves at the first block that is so many later. */
  blocksLater(blocks: number): Promise<void>;
  /** How long a request waits for its response. */
  readonly timeouts: ResponseTimeouts;
}

type Got = Pick<CallerResponse, "status" | "body">;

interface Question {
  readonly surface: Surface;
  readonly path: string;
  readonly key?: keyof Keys;
  readonly body?: JsonObject;
  readonly prefer?: string;
}

/** Requests of `payNow`: each is held for at least 10 s, and the chain needs a few. */
const payNowAsksMax = 5;

/**
 * Blocks for which `payNow` comes back after a 503: with nothing open the balances of wallets are read
 * once a minute, which is 30 blocks, and the read may have to be repeated.
 */
const unavailableBlocksMax = 32;

/** Creates the callers of a run. */
export function createCallers(deps: CallersDeps): Callers {
  const { chainId, surface, keys } = deps;
  const { responses, ids, ask } = createQuestions(deps);

  async function settle(index: number, body: JsonObject, request: Ask): Promise<void> {
    for (let times = 0; times <= request.again; times++) {
      const { surface: at, prefer } = request;
      const told = await ask(index, "settle", { surface: at, path: "/settle", body, prefer });
      if (told.status === 200) return poll(index, told, request);
      await deps.blocksLater(1);
    }
  }

  /** Asks by the id until there is an outcome, as callers do that got a response before it. */
  async function poll(
    index: number,
    told: CallerResponse,
    { polls, waitSeconds }: Ask,
  ): Promise<void> {
    let { id, status } = told.body;
    for (let times = 0; times < polls && status === "pending"; times++) {
      const path = `/settlements/${String(id)}?wait=${waitSeconds}`;
      ({ status = status } = (await ask(index, "look", { surface, path })).body);
      if (waitSeconds === 0) await deps.blocksLater(1);
    }
  }

  async function play(planned: PlannedPayment, payment: SignedPayment): Promise<void> {
    const { index, asks } = planned;
    const body = requestBody(chainId, payment);
    const [first] = asks;
    if (planned.isVerified && first) {
      await ask(index, "verify", { surface: first.surface, path: "/verify", body });
    }
    const asking = asks.flatMap((request) =>
      Array.from({ length: request.atOnce }, async () => {
        if (request.afterBlocks > 0) await deps.blocksLater(request.afterBlocks);
        await settle(index, body, request);
      }),
    );
    await Promise.all(asking);
    const id = ids.get(index);
    if (planned.isWatched && id)
      await ask(index, "look", { surface, path: `/settlements/${id}?wait=10` });
  }

  async function askAtLast(index: number, payment: SignedPayment): Promise<void> {
    const id = ids.get(index);
    const body = requestBody(chainId, payment);
    if (id) await ask(index, "look", { surface, path: `/settlements/${id}` }, true);
    await ask(index, "settle", { surface, path: "/settle", body, prefer: "respond-async" }, true);
    await ask(index, "verify", { surface, path: "/verify", body }, true);
    if (keys) await pry(index, id, body);
  }

  /** Asks with another account's key, which must not open this account's records. */
  async function pry(index: number, id: string | undefined, body: JsonObject): Promise<void> {
    const path = `/settlements/${id}`;
    if (id) await ask(index, "pry", { surface: "public", path, key: "foreign" }, true);
    await ask(index, "pry", { surface: "public", path: "/settle", body, key: "foreign" }, true);
  }

  async function payNow(index: number, payment: SignedPayment): Promise<void> {
    const body = requestBody(chainId, payment);
    const question = { surface, path: "/settle", body, prefer: "wait=20" };
    let unavailable = 0;
    for (let asks = 0; asks < payNowAsksMax;) {
      const { status, body: told } = await ask(index, "settle", question);
      if (status === 503 && unavailable++ < unavailableBlocksMax) {
        await deps.blocksLater(1);
        continue;
      }
      if (told["status"] !== "pending") return;
      asks++;
    }
  }

  async function request(index: number, question: Question): Promise<Got> {
    const got = await fetchOnce(deps, index, question);
    const { status, errorReason } = got.body;
    const words = JSON.stringify({ status, errorReason });
    deps.trace.note(`payment ${index}: ${question.path} → ${got.status} ${words}`);
    return got;
  }

  return { responses, play, request, idOf: (index) => ids.get(index), askAtLast, payNow };
}

/** Asks, and keeps every response and the ids in them, by payment. */
function createQuestions(deps: CallersDeps) {
  const responses: CallerResponse[] = [];
  const ids = new Map<number, string>();

  async function ask(
    payment: number,
    asked: CallerResponse["asked"],
    question: Question,
    isLast = false,
  ): Promise<CallerResponse> {
    const askedAfter = responses.length;
    const got = await fetchOnce(deps, payment, question);
    const response = {
      payment,
      asked,
      askedAfter,
      atBlock: deps.highest(),
      chainTime: deps.headTime(),
      isLast,
      ...got,
    };
    responses.push(response);
    const id = response.body["id"];
    if (typeof id === "string" && asked !== "pry") ids.set(payment, id);
    const where = `${question.surface} ${question.prefer ?? ""}`.trim();
    deps.trace.note(`payment ${payment}: ${asked} ${where} → ${wordsOf(response)}`);
    return response;
  }

  return { responses, ids, ask };
}

async function fetchOnce(deps: CallersDeps, payment: number, question: Question): Promise<Got> {
  const { body, prefer, path, key } = question;
  const access = accessTo(question.surface, deps.keys, key);
  const urls = deps.urls();
  // No process listens at port 1, as for a caller that comes while none serves.
  const url = urls.length > 0 ? deps.random(`process/${payment}`).pick(urls) : nowhere;
  const timeout = new AbortController();
  const settled = new AbortController();
  void deps.timeouts.end(url, settled.signal).then((why) => timeout.abort(new Error(why)));
  try {
    const response = await fetch(`${url}${access.path}${path}`, {
      method: body ? "POST" : "GET",
      headers: {
        "content-type": "application/json",
        ...access.headers,
        ...(prefer ? { prefer } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: timeout.signal,
    });
    const read: unknown = await response.json();
    return { status: response.status, body: isObject(read) ? read : {} };
  } catch (error) {
    deps.trace.note(`payment ${payment}: no response, ${reasonOf(error)}`);
    return { status: 0, body: {} };
  } finally {
    settled.abort();
  }
}

const nowhere = "http://127.0.0.1:1";

/** What a failed request says, with the connection's own error. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : undefined;
  return cause ? `${String(error)} (${String(cause)})` : String(error);
}
