/** Tries an API key as a server would: looks it up, then verifies a sample. */
import { zeroAddress, type VerifyResponse } from "@farthing/protocol";
import { ApiProblem, call } from "../../api/call.ts";
import type { SnippetValues } from "./snippets.ts";

/** `GET /v1/key`. */
interface KeyResponse {
  readonly account: string;
  readonly mode: "live" | "test";
  readonly label: string;
  readonly credits: number;
}

export type KeyTrial = Awaited<ReturnType<typeof tryKey>>;

const sampleSeconds = 120;

/** An unsigned payment: its refusal for the signature alone shows that all else is right. */
function samplePayment({ payTo, network, usdc }: SnippetValues, nowSeconds: number) {
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

/** Calls `GET /v1/key` and `POST /verify` with a key; throws {@link ApiProblem}. */
export async function tryKey(key: string, values: SnippetValues, signal: AbortSignal) {
  const headers = { Authorization: `Bearer ${key}` };
  const known = await call<KeyResponse>("/v1/key", { headers, signal });
  const start = performance.now();
  const verification = await call<VerifyResponse>("/verify", {
    method: "POST",
    headers,
    body: samplePayment(values, Math.floor(Date.now() / 1000)),
    signal,
  });
  return { key: known, verification, tookMs: Math.round(performance.now() - start) };
}

export function adviceFor(problem: unknown): string | undefined {
  if (!(problem instanceof ApiProblem)) return undefined;
  switch (problem.details.code) {
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
