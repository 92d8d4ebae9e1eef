/** What a node was asked and what it refused, for tests that hold a service to a limit. */
import type { NodeRequest } from "@farthing/devnet/rpc-proxy";
import type { RefusalKind } from "./request-limits.ts";

/** One HTTP request as it was answered. */
export interface NodeExchange {
  readonly atMs: number;
  readonly methods: readonly string[];
  /** Why the whole request was refused; undefined where its calls were looked at. */
  readonly refusal: RefusalKind | undefined;
  /** Calls beyond a rate limit within a request that was answered. */
  readonly lateCalls: number;
}

/** The record of one node. */
export interface NodeRecord {
  /** In order; the last 200,000. */
  readonly exchanges: readonly NodeExchange[];
  /** HTTP requests, refused ones included. */
  requests(): number;
  /** Calls in all requests, or those of one method. */
  calls(method?: string): number;
  /** Refused requests (those with late calls among the rate's), of one kind or of all. */
  refused(kind?: RefusalKind): number;
  /** Requests of the second that had the most. */
  mostPerSecond(): number;
  note(
    request: NodeRequest,
    exchange: Pick<NodeExchange, "atMs" | "refusal"> & { readonly lateCalls?: number },
  ): void;
  reset(): void;
}

/** Hours at the rate of a busy service; older ones are forgotten. */
const maxExchanges = 200_000;

/** Creates an empty record. */
export function createNodeRecord(): NodeRecord {
  const exchanges: NodeExchange[] = [];
  const wasRefused = ({ refusal, lateCalls }: NodeExchange) =>
    refusal ?? (lateCalls > 0 ? "rate" : undefined);
  return {
    exchanges,
    requests: () => exchanges.length,
    calls: (method) =>
      exchanges.reduce(
        (sum, { methods }) =>
          sum + methods.filter((one) => method === undefined || one === method).length,
        0,
      ),
    refused: (kind) =>
      exchanges.filter((exchange) => {
        const refusal = wasRefused(exchange);
        return refusal !== undefined && (kind === undefined || refusal === kind);
      }).length,
    mostPerSecond() {
      let first = 0;
      return exchanges.reduce((most, { atMs }, last) => {
        while ((exchanges[first]?.atMs ?? atMs) <= atMs - 1_000) first++;
        return Math.max(most, last - first + 1);
      }, 0);
    },
    note({ calls }, { atMs, refusal, lateCalls = 0 }) {
      exchanges.push({ atMs, methods: calls.map(({ method }) => method), refusal, lateCalls });
      if (exchanges.length > maxExchanges) exchanges.shift();
    },
    reset: () => void exchanges.splice(0),
  };
}
