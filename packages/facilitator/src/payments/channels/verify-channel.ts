/** POST /verify of a channel's message: a deposit, a voucher or a refund. Moves nothing. */
import {
  parseChannelRequest,
  refuseChannel,
  type Refusal,
  type VerifyResponse,
} from "@farthing/protocol";
import { checkKey } from "../../http/access/authenticate.ts";
import { refundJunk } from "../../http/access/limits.ts";
import type { Surface } from "../../http/access/surface.ts";
import type { PaymentContext } from "../context.ts";
import type { PaymentCall } from "../payment-call.ts";
import { checkLimits, keylessTerms } from "../keyless/terms.ts";
import { checkBuyer } from "./check-channel.ts";
import { invalidChannel, validChannel } from "./channel-responses.ts";
import { channelOptions, isChannelServed } from "./surface.ts";

/** A call whose body is a channel's message. */
export async function verifyChannel(
  context: PaymentContext,
  surface: Surface,
  { request, asked }: Pick<PaymentCall, "request" | "asked">,
): Promise<VerifyResponse> {
  const parsed = parseChannelRequest(asked.body);
  if (!parsed.ok) return invalidChannel(parsed.refusal);
  const { payload, requirements } = parsed.value;
  if (payload.type === "claim" || payload.type === "settle") {
    const why = refuseChannel(
      "payload_type",
      `A ${payload.type} is settled without being verified.`,
    );
    return invalidChannel(why.refusal);
  }
  const { payer } = payload.config;
  if (!(await isChannelServed(context, surface, requirements.network))) {
    const why = refuseChannel("network_mismatch", "Channels of this network are not served here.");
    return invalidChannel(why.refusal, payer);
  }
  checkKey(request.apiKey, requirements);
  const options = channelOptions(context, surface);
  const checked = await checkBuyer(context, payload, requirements, options);
  if (!checked.ok) {
    refundJunk(request, checked.refusal);
    return invalidChannel(checked.refusal, payer, checked.channel);
  }
  const { channel, deposit } = checked;
  if (deposit) {
    const terms = keylessTerms(context, request, deposit);
    const caller = {
      owner: request.apiKey?.account ?? null,
      priority: request.apiKey ? "keyed" : "open",
    } as const;
    const limited =
      (await checkLimits(context, terms, deposit)) ?? (await context.admit(deposit, caller));
    if (limited) return invalidChannel(refuseLimited(limited), payer, channel);
  }
  return validChannel(payer, channel);
}

/** The published package has no name for a facilitator's own limits. */
function refuseLimited({ message }: Refusal) {
  return refuseChannel("deposit_simulation_failed", message).refusal;
}
