/** Tries an API key as a server would: who am I, then a verification. */
import { zeroAddress, type VerifyResponse } from "@farthing/protocol";
import { ApiProblem, call } from "../../api/call.ts";
import type { SnippetValues } from "./snippets.ts";

/** `GET /v1/key`. */
export interface KeyAnswer {
  readonly account: string;
  readonly mode: "live" | "test";
  readonly label: string;
  readonly credits: number;
  readonly plan: "active" | "inactive";
}

/** What came of the trial. */
export interface KeyTrial {
  readonly key: KeyAnswer;
  readonly verdict: VerifyResponse;
  readonly tookMs: number;
}

/** Seconds for which the sample would be valid. */
const sampleSeconds = 120;

/**
 * A payment that nobody signed. The service judges it like any other and finds its signature
 * wanting: that answer is what shows that key, address and network are right.
 */
export function samplePayment({ payTo, network, usdc }: SnippetValues, nowSeconds: number) {
  const requirements = {
    scheme: "exact",
    network,
    asset: usdc,
    amount: "10000",
    payTo,
    maxTimeoutSeconds: sampleSeconds,
    extra: { name: "USDC", version: "2" },
  };
  return {
    x402Version: 2,
    paymentPayload: {
      x402Version: 2,
      accepted: requirements,
      payload: {
        signature: `0x${"11".repeat(64)}1b`,
        authorization: {
          from: zeroAddress.replace(/0$/, "1"),
          to: payTo,
          value: requirements.amount,
          validAfter: "0",
          validBefore: `${nowSeconds + sampleSeconds}`,
          nonce: `0x${"00".repeat(32)}`,
        },
      },
    },
    paymentRequirements: requirements,
  };
}

/** Calls `GET /v1/key` and `POST /verify` with a key; throws {@link ApiProblem} when one says no. */
export async function tryKey(
  key: string,
  values: SnippetValues,
  signal: AbortSignal,
): Promise<KeyTrial> {
  const headers = { Authorization: `Bearer ${key}` };
  const known = await call<KeyAnswer>("/v1/key", { headers, signal });
  const start = performance.now();
  const verdict = await call<VerifyResponse>("/verify", {
    method: "POST",
    headers,
    body: samplePayment(values, Math.floor(Date.now() / 1000)),
    signal,
  });
  return { key: known, verdict, tookMs: Math.round(performance.now() - start) };
}

/** What a failed trial means for the person whose key it is. */
export function adviceFor(problem: unknown): string | undefined {
  if (!(problem instanceof ApiProblem)) return undefined;
  switch (problem.code) {
    case "unauthorized":
      return "The key is mistyped, expired or revoked. Copy it again, or create a new one.";
    case "payee_mismatch":
      return "The key belongs to another account and settles payments to that account’s address only.";
    case "insufficient_facilitator_credits":
      return "The key is valid, but its account has no credits left.";
    case "seller_plan_inactive":
      return "The key is valid, but its account is inactive.";
    default:
      return undefined;
  }
}
