/** Spans of the steps from a payment to its settlement: verify, claim and settle. */
import type { Outcome } from "@farthing/protocol";
import type { Span, Tracer } from "@opentelemetry/api";
import type { Batcher } from "../base/batcher.ts";
import { inSpan } from "../base/tracing.ts";
import type { Claim } from "../model/settlement.ts";
import type { SettlementTraces } from "../relayer/settlement-traces.ts";
import type { ClaimResult } from "../storage/engine-store.ts";
import type { Verifier } from "../verification/verify.ts";
import type { Settle } from "./settle.ts";

/** A refusal is a result, and no failure of the span. */
function noteRefusal<T>(span: Span, outcome: Outcome<T>): Outcome<T> {
  if (!outcome.ok) span.setAttribute("x402.refusal", outcome.refusal.code);
  return outcome;
}

export function traceVerifier(tracer: Tracer, verifier: Verifier): Verifier {
  return {
    ...verifier,
    verify: (request, options) =>
      inSpan(tracer, "verify", {}, async (span) =>
        noteRefusal(span, await verifier.verify(request, options)),
      ),
    verifyUnclaimed: (request, options) =>
      inSpan(tracer, "verify", {}, async (span) =>
        noteRefusal(span, await verifier.verifyUnclaimed(request, options)),
      ),
  };
}

/** A settlement that is claimed belongs to the span that is active around the claim. */
export function traceClaim(
  tracer: Tracer,
  traces: SettlementTraces,
  claim: Batcher<Claim, ClaimResult>,
): Batcher<Claim, ClaimResult> {
  return async (wanted) => {
    const result = await inSpan(tracer, "claim settlement", {}, async (span) => {
      const claimed = await claim(wanted);
      span.setAttribute("x402.claim", claimed.kind);
      return claimed;
    });
    if (result.kind === "created") traces.remember(result.settlement.id);
    return result;
  };
}

export function traceSettle(tracer: Tracer, settle: Settle): Settle {
  return (request, options) => {
    const attributes = {
      "x402.network": request.payment.network.id,
      "x402.request_id": options.requestId,
    };
    return inSpan(tracer, "settle", { attributes }, async (span) => {
      const result = await settle(request, options);
      if (result.kind === "refused") span.setAttribute("x402.refusal", result.refusal.code);
      if (result.kind === "settlement") {
        span.setAttribute("x402.settlement_id", result.settlement.id);
        span.setAttribute("x402.state", result.settlement.state);
      }
      return result;
    });
  };
}
