/** A closed loop: so many callers, each of whom asks again as soon as he has his answer. */
import { performance } from "node:perf_hooks";
import { isObject } from "@farthing/protocol";
import { Pool } from "undici";

/** What to do. */
export interface LoadPlan {
  readonly url: string;
  readonly path: "/verify" | "/settle";
  readonly callers: number;
  /** Of each request, beside the type of its body. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Gives the next body; undefined when there are no more. */
  next(): string | undefined;
  /** Answers in this time do not count: the program warms up. */
  readonly warmUpMs: number;
  /** How long answers count. Questions then end; answers under way are still taken in. */
  readonly countMs: number;
  /** Called when counting begins and when it ends. */
  onCounting?(phase: "begin" | "end"): void;
}

/** What came of it. */
export interface LoadResult {
  /** Good answers that came while it counted, per second. */
  readonly perSecond: number;
  /** Good answers that came while it counted. */
  readonly good: number;
  /** Good answers to all questions of the whole run, and the questions. */
  readonly goodInAll: number;
  readonly askedInAll: number;
  /** Milliseconds from question to good answer, of those that counted. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The commonest complaint, when there was one. */
  readonly complaint: string | undefined;
}

/** The reference waits up to 180 s for a receipt; no request is cut off before. */
const answerMsMax = 200_000;

/** Runs the loop. */
export async function runLoad(plan: LoadPlan): Promise<LoadResult> {
  const pool = new Pool(plan.url, {
    connections: plan.callers,
    pipelining: 1,
    headersTimeout: answerMsMax,
    bodyTimeout: answerMsMax,
  });
  const headers = { ...jsonHeaders, ...plan.headers };
  const wanted = plan.path === "/verify" ? "isValid" : "success";
  const latencies: number[] = [];
  const complaints = new Map<string, number>();
  let [asked, goodInAll] = [0, 0];
  const begin = performance.now() + plan.warmUpMs;
  const end = begin + plan.countMs;

  async function ask(body: string): Promise<void> {
    const askedAt = performance.now();
    asked += 1;
    const answer = await post(pool, { path: plan.path, headers }, body);
    const now = performance.now();
    if (answer[wanted] !== true) {
      const complaint = JSON.stringify(answer).slice(0, 300);
      complaints.set(complaint, (complaints.get(complaint) ?? 0) + 1);
      return;
    }
    goodInAll += 1;
    if (now >= begin && now < end) latencies.push(now - askedAt);
  }

  async function call(): Promise<void> {
    while (performance.now() < end) {
      const body = plan.next();
      if (body === undefined) return;
      await ask(body);
    }
  }

  const phases = startPhases(plan);
  await Promise.all(Array.from({ length: plan.callers }, call));
  const countedMs = Math.min(plan.countMs, performance.now() - begin);
  phases.finish();
  await pool.destroy();
  const sorted = latencies.toSorted((a, b) => a - b);
  const [commonest] = [...complaints].toSorted((a, b) => b[1] - a[1]);
  return {
    perSecond: sorted.length / (countedMs / 1000),
    good: sorted.length,
    goodInAll,
    askedInAll: asked,
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
    complaint: commonest?.[0],
  };
}

/**
 * Reports when counting begins and when it ends. The last answer may come before a timer that is
 * due has run, so finishing reports the phases that are still missing: each is reported once.
 */
function startPhases({ onCounting, warmUpMs, countMs }: LoadPlan): { finish(): void } {
  const open = new Set(["begin", "end"] as const);
  const report = (phase: "begin" | "end") => {
    if (open.delete(phase)) onCounting?.(phase);
  };
  const timers = [
    setTimeout(() => report("begin"), warmUpMs),
    setTimeout(() => report("end"), warmUpMs + countMs),
  ];
  return {
    finish() {
      for (const timer of timers) clearTimeout(timer);
      for (const phase of open) report(phase);
    },
  };
}

/** By dispatch, the library's own way without streams: the load must cost less than the work. */
export function post(
  pool: Pool,
  { path, headers }: { readonly path: string; readonly headers: Record<string, string> },
  body: string,
): Promise<Record<string, unknown>> {
  return new Promise((resolve) => {
    let statusCode = 0;
    const chunks: Buffer[] = [];
    pool.dispatch(
      { path, method: "POST", headers, body },
      {
        onRequestStart() {},
        onResponseStart(_controller, status) {
          statusCode = status;
        },
        onResponseData: (_controller, chunk) => void chunks.push(chunk),
        onResponseEnd: () => resolve({ ...readJson(chunks), statusCode }),
        onResponseError: (_controller, error) => resolve({ connection: error.message }),
      },
    );
  });
}

const jsonHeaders = { "content-type": "application/json" };

function readJson(chunks: readonly Buffer[]): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(Buffer.concat(chunks).toString());
    return isObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

/** The value that the given share of the sorted values does not exceed; NaN when there are none. */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}
