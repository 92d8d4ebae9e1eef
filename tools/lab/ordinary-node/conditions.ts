/** What an ordinary node limits, refuses and gets wrong. Absent conditions do not apply. */

/** All conditions of one endpoint. */
export interface NodeConditions {
  readonly rateLimit?: RateLimit;
  readonly batchLimit?: BatchLimit;
  /** Longer bodies are refused with HTTP 413. */
  readonly maxBodyBytes?: number;
  /** The key in the URL has expired: every request is refused with this status. */
  readonly expiredKey?: 401 | 403;
  /** Milliseconds from an admitted request to its response. */
  readonly latencyMs?: number;
  /** This share of the admitted requests fails at once, in one of {@link requestFailures} in turn. */
  readonly failingShare?: number;
  /** One entry per backend behind the address, in turn: how many blocks it is behind. */
  readonly backends?: readonly number[];
  readonly absurd?: AbsurdHeads;
  readonly logs?: LogConditions;
  /** Methods that are answered with -32603. */
  readonly internalErrors?: readonly string[];
  /** `eth_call` returns a revert's data as its result, without an error. */
  readonly revertsAsResults?: boolean;
  /** XDPoSChain's pool rules, in front of a node without them; `{}` for its defaults. */
  readonly pool?: PoolRules;
}

/** What a pool takes. */
export interface PoolRules {
  /** Default: 12.5 gwei. */
  readonly minGasPriceWei?: bigint;
  /** Gas limit times price at most. Default: 1 XDC. */
  readonly feeCapWei?: bigint;
  /** Transactions of all senders at most. Default: 6,144. */
  readonly maxTransactions?: number;
  /** How far above the pool's next nonce of a sender a nonce may be. Default: 10. */
  readonly maxNonceDistance?: number;
}

/** Ways in which a rate limit is told. */
export const rateRefusals = [
  /** HTTP 429 with a page for people. */
  "html_429",
  /** HTTP 429 with one JSON-RPC error, also for a batch. */
  "json_429",
  /** HTTP 200 with -32005 for each call. */
  "error_in_200",
  /** HTTP 200: the first calls of a batch are answered, those beyond the limit have -32005. */
  "late_calls_in_200",
] as const;

/** A token bucket that fills evenly. */
export interface RateLimit {
  readonly perSecond: number;
  /** What may come at once after a silence. Default: a second's worth. */
  readonly burst?: number;
  /** Default: requests. */
  readonly counts?: "requests" | "calls";
  readonly style: (typeof rateRefusals)[number];
  /** Value of a `Retry-After` header beside a 429. */
  readonly retryAfterSeconds?: number;
}

/** Ways in which a batch is refused for its size. */
export const batchRefusals = ["one_error", "array_with_one_error", "http_413"] as const;

/** The largest batch. */
export interface BatchLimit {
  readonly maxCalls: number;
  readonly style: (typeof batchRefusals)[number];
}

/** Ways in which a node that is half broken fails a request; none of its calls is carried out. */
export const requestFailures = ["http_503", "internal_error", "cut"] as const;

/** Block numbers that are stated instead of the true ones. */
export interface AbsurdHeads {
  readonly latest?: number;
  readonly finalized?: number;
  /** Answers that are absurd before the truth is told again. Default: all. */
  readonly times?: number;
}

/** Ways in which a range of `eth_getLogs` is refused, in the words of well-known providers. */
export const rangeRefusals = ["limited_to", "exceeds", "too_many_results"] as const;

/** How `eth_getLogs` is answered. */
export interface LogConditions {
  /** Blocks from first to last. */
  readonly maxRangeBlocks?: number;
  /** Default: limited_to. */
  readonly rangeStyle?: (typeof rangeRefusals)[number];
  /** `blockHash` is refused as an unknown parameter. */
  readonly refusesBlockHash?: boolean;
  /** Whatever is asked, there are none. */
  readonly areAlwaysEmpty?: boolean;
}
