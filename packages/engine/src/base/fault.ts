/**
 * Faults: the world failed (a node, a database, the network), not the payment. Thrown, and caught
 * in two places only: the HTTP answer and the loops that work on their own.
 */

/** What failed, as a stable word for logs, metrics and answers. */
export type FaultCode =
  | "rpc_unavailable"
  | "rpc_refused"
  | "storage_unavailable"
  | "queue_full"
  | "too_many_exchanges"
  | "reverted_gas_exhausted"
  | "no_wallet"
  | "lease_lost"
  | "configuration";

/** A failure of something outside the program. Its message holds no URL and no secret. */
export class Fault extends Error {
  readonly code: FaultCode;
  /** Whether the same step can succeed later without a change. */
  readonly retryable: boolean;
  /** Seconds until another try is worth it, where that is known. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: FaultCode,
    message: string,
    options: { retryable?: boolean; retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "Fault";
    this.code = code;
    this.retryable = options.retryable ?? true;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
