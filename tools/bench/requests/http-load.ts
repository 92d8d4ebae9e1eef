/** A closed loop of HTTP requests: so many connections, each asking again once it has its response. */
import { performance } from "node:perf_hooks";
import { Pool } from "undici";
import { percentile } from "../load.ts";

/** One request, and what a good response to it has. */
export interface Ask {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: number;
}

export interface HttpLoad {
  readonly url: string;
  readonly connections: number;
  /** The next request of a connection; undefined when it has none left. */
  ask(connection: number): Ask | undefined;
  /** Responses in this time do not count: the program warms up. */
  readonly warmUpMs: number;
  /** Where no good response comes in this time, the first one after it ends the counting. */
  readonly countMs: number;
  /** Called when counting begins and when it ends. */
  onCounting(): void;
}

export interface HttpLoadResult {
  readonly perSecond: number;
  readonly good: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Far above the longest request here, a large body at many connections. */
const responseMsMax = 60_000;

/**
 * A gateway takes a thousand connections of one address, and those of the purchases before may still
 * be open.
 */
const localAddresses = ["127.0.0.1", "127.0.0.2"] as const;

/** Throws for a response that is not good: it would be quicker, and measure something else. */
export async function runHttpLoad(load: HttpLoad): Promise<HttpLoadResult> {
  const { url, connections, warmUpMs, countMs } = load;
  const pools = localAddresses.map(
    (localAddress) =>
      new Pool(url, {
        connections: Math.ceil(connections / localAddresses.length),
        pipelining: 1,
        headersTimeout: responseMsMax,
        bodyTimeout: responseMsMax,
        localAddress,
      }),
  );
  const latencies: number[] = [];
  const begin = performance.now() + warmUpMs;
  let end = begin + countMs;
  async function call(connection: number): Promise<void> {
    const pool = pools[connection % pools.length];
    if (!pool) throw new Error("There is no pool.");
    while (performance.now() < end || latencies.length === 0) {
      const ask = load.ask(connection);
      if (!ask) return;
      const askedAt = performance.now();
      await get(pool, ask);
      const now = performance.now();
      if (now >= end && latencies.length === 0) {
        end = now;
        latencies.push(now - askedAt);
        load.onCounting();
      } else if (now >= begin && now < end) latencies.push(now - askedAt);
    }
  }
  const reportEnd = () => {
    if (latencies.length > 0) load.onCounting();
  };
  const timers = [
    setTimeout(() => load.onCounting(), warmUpMs),
    setTimeout(reportEnd, warmUpMs + countMs),
  ];
  try {
    const callers = Array.from({ length: connections }, (_, connection) => call(connection));
    await Promise.all([...callers, new Promise((done) => setTimeout(done, warmUpMs + countMs))]);
  } finally {
    for (const timer of timers) clearTimeout(timer);
    await Promise.all(pools.map(async (pool) => pool.destroy()));
  }
  latencies.sort((one, other) => one - other);
  return {
    perSecond: latencies.length / ((end - begin) / 1_000),
    good: latencies.length,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
  };
}

/** By dispatch, the library's own way without streams: the load must cost less than the work. */
function get(pool: Pool, { path, headers, status: wanted }: Ask): Promise<void> {
  return new Promise((resolve, reject) => {
    let status = 0;
    // The text of a refusal, which is short.
    let text = "";
    pool.dispatch(
      { path, method: "GET", ...(headers && { headers }) },
      {
        onRequestStart() {},
        onResponseStart(_controller, code) {
          status = code;
        },
        onResponseData(_controller, chunk) {
          if (status !== wanted) text += chunk.toString();
        },
        onResponseEnd() {
          if (status === wanted) resolve();
          else reject(new Error(`HTTP ${status} for ${path}: ${text.slice(0, 300)}`));
        },
        onResponseError: (_controller, error) => reject(error),
      },
    );
  });
}
