/** What a caller of the facilitator was told; the audit holds the service to it. */
import type { JsonObject } from "@farthing/protocol";

/** One response, or its absence. */
export interface CallerResponse {
  readonly payment: number;
  /** `pry`: for a payment of another account, with a key that is not its own. */
  readonly asked: "verify" | "settle" | "look" | "pry";
  /** How many responses, to all callers, had come when this was asked. */
  readonly askedAfter: number;
  /** The chain's highest head when the response came, where it was recorded. */
  readonly atBlock?: number;
  /** The newest block's time when it came, in Unix seconds, where it was recorded. */
  readonly chainTime?: number;
  /** HTTP status; 0 when no response came. */
  readonly status: number;
  readonly body: JsonObject;
  /** Asked after everything had come to rest. */
  readonly isLast: boolean;
}

/** A response in a few words. */
export function wordsOf({ status, body }: CallerResponse): string {
  if (status === 0) return "no response";
  const names = ["isValid", "status", "errorReason", "invalidReason", "error", "id", "transaction"];
  const words = names.flatMap((name) => {
    const value = body[name];
    return value === undefined || value === "" ? [] : [`${name}=${JSON.stringify(value)}`];
  });
  return `${status} ${words.join(" ")}`;
}
