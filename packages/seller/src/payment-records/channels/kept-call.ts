/** The response to a call of a channel, kept in one step with its charge, for a repeat of the request. */
import type { SettleResponse } from "@farthing/protocol";

export interface KeptCall {
  /** Names the voucher; begins with {@link callKeyPrefix}. */
  readonly key: string;
  /** Hashes of the request and of the message that paid for it. */
  readonly fingerprint: string;
  readonly payload: string;
  /** Hashes of what the first request has shown: a repeat shows one of them again. */
  readonly opener: {
    readonly token?: string;
    readonly authorization?: string;
    readonly cookie?: string;
  };
  readonly receipt: SettleResponse;
  readonly response: {
    readonly status: number;
    readonly headers: readonly (readonly [name: string, value: string])[];
    readonly body: Uint8Array<ArrayBuffer>;
    readonly reader?: string;
  };
  /** How long it is kept, in milliseconds. */
  readonly keptMs: number;
}

/** Tells the records of calls from those of payments. */
export const callKeyPrefix = "channel/";
