/** CORS: the headers of a response that a browser's script may read, those of x402 and our own. */
import { balanceHeaders } from "./balance.ts";
import { headerNames } from "../encoding/headers.ts";
import { passHeaders } from "./pass.ts";

/** Marks a repeated response. */
export const replayedHeader = "X-Payment-Replayed";

export const exposedHeaders: readonly string[] = [
  headerNames.paymentRequired,
  headerNames.paymentResponse,
  headerNames.xPaymentResponse,
  headerNames.paymentCharged,
  "Retry-After",
  replayedHeader,
  ...Object.values(passHeaders),
  ...Object.values(balanceHeaders),
];
