/**
 * The people who ask: each payment's buyers and sellers, who write down every answer they get. What
 * they were told is what the auditor holds the facilitator to.
 */
import type { Clock } from "@farthing/facilitator";
import { isObject, type JsonObject } from "@farthing/protocol";
import type { PlannedPayment } from "./plan.ts";
import { requestBody, type SignedPayment } from "./token-calls.ts";
import type { Trace } from "./trace.ts";

/** One answer, or its absence. */
export interface Answer {
  readonly payment: number;
  readonly asked: "verify" | "settle" | "look";
  readonly atBlock: number;
  /** How many answers, to anybody, had come when this was asked. */
  readonly askedAfter: number;
  /** HTTP status; 0 when no answer came. */
  readonly status: number;
  readonly body: JsonObject;
  /** Asked after everything had come to rest. */
  readonly isLast: boolean;
}

/** Asks, and remembers the answers. */
export interface Callers {
  readonly answers: readonly Answer[];
  /** Plays a payment's part from its block on; resolves when everybody has an answer. */
  play(planned: PlannedPayment, payment: SignedPayment): Promise<void>;
  /** Asks once more what became of a payment, by its id and by the payment itself. */
  askAtLast(index: number, payment: SignedPayment): Promise<void>;
  /** Asks until there is an outcome, three times at most. */
  payNow(index: number, payment: SignedPayment): Promise<void>;
}

/** What callers need. */
export interface CallersDeps {
  readonly chainId: 50 | 51;
  readonly clock: Clock;
  readonly trace: Trace;
  url(): string | undefined;
  head(): number;
  /** Resolves at the first block that is so many later. */
  blocksLater(blocks: number): Promise<void>;
}

/** Longer than the facilitator ever holds an answer, 30 s, in the run's time. */
const patienceMs = 60_000;

/** Asks of `payNow`: each holds up to 30 s, the chain needs a few. */
const payNowAsksMax = 3;

/** Creates the callers of a run. */
export function createCallers(deps: CallersDeps): Callers {
  const { clock, trace, chainId } = deps;
  const answers: Answer[] = [];
  const ids = new Map<number, string>();

  async function ask(
    payment: number,
    asked: Answer["asked"],
    request: { path: string; body?: JsonObject; prefer?: string },
    isLast = false,
  ): Promise<Answer> {
    const askedAfter = answers.length;
    const got = await fetchOnce(request);
    const answer = { payment, asked, askedAfter, atBlock: deps.head(), isLast, ...got };
    answers.push(answer);
    const id = answer.body["id"];
    if (typeof id === "string") ids.set(payment, id);
    trace.note(`payment ${payment}: ${asked} ${request.prefer ?? ""} → ${wordsOf(answer)}`);
    return answer;
  }

  async function fetchOnce({ path, body, prefer }: Parameters<typeof ask>[2]) {
    const timeout = new AbortController();
    const settled = new AbortController();
    void clock.sleep(patienceMs, settled.signal).then(() => timeout.abort());
    try {
      const response = await fetch(`${deps.url() ?? "http://127.0.0.1:1"}${path}`, {
        method: body ? "POST" : "GET",
        headers: { "content-type": "application/json", ...(prefer ? { prefer } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
        signal: timeout.signal,
      });
      const read: unknown = await response.json();
      return { status: response.status, body: isObject(read) ? read : {} };
    } catch {
      return { status: 0, body: {} };
    } finally {
      settled.abort();
    }
  }

  async function play(planned: PlannedPayment, payment: SignedPayment): Promise<void> {
    const { index } = planned;
    const body = requestBody(chainId, payment);
    if (planned.isVerified) await ask(index, "verify", { path: "/verify", body });
    const asking = planned.asks.flatMap(({ afterBlocks, prefer, atOnce, again }) =>
      Array.from({ length: atOnce }, async () => {
        if (afterBlocks > 0) await deps.blocksLater(afterBlocks);
        for (let times = 0; times <= again; times++) {
          const { status } = await ask(index, "settle", { path: "/settle", body, prefer });
          if (status === 200) return;
          await deps.blocksLater(1);
        }
      }),
    );
    await Promise.all(asking);
    const id = ids.get(index);
    if (planned.isWatched && id) await ask(index, "look", { path: `/settlements/${id}?wait=10` });
  }

  async function askAtLast(index: number, payment: SignedPayment): Promise<void> {
    const id = ids.get(index);
    if (id) await ask(index, "look", { path: `/settlements/${id}` }, true);
    const body = requestBody(chainId, payment);
    await ask(index, "settle", { path: "/settle", body, prefer: "respond-async" }, true);
    await ask(index, "verify", { path: "/verify", body }, true);
  }

  async function payNow(index: number, payment: SignedPayment): Promise<void> {
    const body = requestBody(chainId, payment);
    for (let asks = 0; asks < payNowAsksMax; asks++) {
      const { status } = (await ask(index, "settle", { path: "/settle", body })).body;
      if (status !== "pending") return;
    }
  }

  return { answers, play, askAtLast, payNow };
}

/** An answer in a few words. */
export function wordsOf({ status, body }: Answer): string {
  if (status === 0) return "no answer";
  const names = ["isValid", "status", "errorReason", "invalidReason", "error", "id", "transaction"];
  const words = names.flatMap((name) => {
    const value = body[name];
    return value === undefined || value === "" ? [] : [`${name}=${JSON.stringify(value)}`];
  });
  return `${status} ${words.join(" ")}`;
}
