/** Faults: a node, a database or the network failed, not the payment. */

/** A stable code for logs, metrics and responses. */
export type FaultCode =
  | "rpc_unavailable"
  | "rpc_refused"
  | "storage_unavailable"
  | "storage_behind"
  | "queue_full"
  | "too_many_exchanges"
  | "reverted_gas_exhausted"
  | "no_wallet"
  | "gas_price_too_high"
  | "signer_unavailable"
  | "screening_unavailable"
  | "lease_lost"
  | "configuration";

/** A failure outside the program. The message contains no URL and no secret. */
export class Fault extends Error {
  readonly code: FaultCode;
  /** True if the same step can succeed later without a change. */
  readonly retryable: boolean;
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

/** A fault that only another configuration removes. */
export function misconfigured(message: string): Fault {
  return new Fault("configuration", message, { retryable: false });
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
