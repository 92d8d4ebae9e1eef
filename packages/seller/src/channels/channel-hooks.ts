/** The hooks of extensions around a call of a channel: `verify` is its voucher, `settle` its charge. */
import type { ChannelPayment, SettleResponse } from "@farthing/protocol";
import type { PaidRequest, SettledRequest } from "../events.ts";
import { ask, laterUntaken, untouched } from "../exchange/open-responses.ts";
import type { ExchangeDeps, ExchangeResult } from "../exchange/paid-request.ts";
import { ExtensionRefusedError, runHooks } from "../extensions/hooks.ts";
import { errorResponse, type ChallengeTerms } from "../responses.ts";

interface HookedCall {
  readonly payment: ChannelPayment;
  readonly terms: ChallengeTerms;
}

type Hooks = Pick<ExchangeDeps, "extensions">;

/** Asks the extensions before the charge. A refusal, or a hook that fails, charges nothing. */
export async function refuseByHook(
  { extensions }: Hooks,
  call: HookedCall,
  name: "beforeVerify" | "afterVerify" | "beforeSettle",
  payment: PaidRequest,
): Promise<ExchangeResult | undefined> {
  try {
    const message = await runHooks(extensions, name, call, payment);
    return message === undefined
      ? undefined
      : ask(call.terms, { error: "extension_refused", message });
  } catch (error) {
    return { response: laterUntaken("busy", untouched), outcome: { type: "broken", error } };
  }
}

/** Asks the extensions once a call is charged; the content that they refuse is withheld. */
export async function withholdByHook(
  { extensions }: Hooks,
  call: HookedCall,
  payment: SettledRequest,
  receipt: SettleResponse,
): Promise<ExchangeResult | undefined> {
  const withhold = (status: 403 | 500, why: string, error: unknown): ExchangeResult => {
    const message = `Your channel was charged ${payment.amount} base units, and the seller withholds the response${why}`;
    const body = { error: "paid_undelivered", message, retryable: false } as const;
    const outcome = { type: "undelivered", payment, error } as const;
    return { response: errorResponse(status, body, { receipt }), outcome, receipt };
  };
  try {
    const reason = await runHooks(extensions, "afterSettle", call, payment);
    if (reason === undefined) return undefined;
    return withhold(403, `: ${reason}`, new ExtensionRefusedError(reason));
  } catch (error) {
    return withhold(500, ".", error);
  }
}
