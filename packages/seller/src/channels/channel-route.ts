/** Channels of one route: what a challenge offers of them, and the response to a message of one. */
import {
  bookedResource,
  defined,
  type ChannelOutcome,
  type ChannelPayment,
  type Requirements,
  type SoldNames,
} from "@farthing/protocol";
import type { Configuration, RouteConfiguration } from "../configuration.ts";
import type { PaidRequest } from "../events.ts";
import type { BodyReader } from "../exchange/match-payment.ts";
import { undecided } from "../exchange/open-responses.ts";
import type { ExchangeDeps, ExchangeResult, Serve } from "../exchange/paid-request.ts";
import { checkInput } from "../extensions/input-check.ts";
import type { Channels } from "../payment-records/channels/channels.ts";
import type { ChallengeTerms } from "../responses.ts";
import { bindCall } from "./bound-call.ts";
import { channelOffersOf, entriesOf, type OfferedChannel } from "./channel-offers.ts";
import type { ChannelTermsOfRoute } from "./channel-options.ts";
import { refuseCall } from "./channel-responses.ts";
import { serveChannel } from "./serve-channel.ts";

/** A route's channels, and the part of the store that keeps them. */
export interface SoldChannel extends ChannelTermsOfRoute {
  readonly channels: Channels;
}

/** What a route offers by channels to one request. */
export interface OpenChannels {
  readonly sold: SoldChannel;
  readonly offers: readonly OfferedChannel[];
  readonly entries: ReturnType<typeof entriesOf>;
  readonly isOnly: boolean;
}

interface ChannelRoute {
  readonly of: Pick<Configuration, "bodyBytesMax">;
  readonly route: Pick<RouteConfiguration, "check" | "redeliver" | "routeName">;
  readonly rules: Pick<RouteConfiguration, "isStreamed" | "workMs" | "redirects">;
  readonly channel?: SoldChannel | undefined;
}

interface ChannelAsked {
  readonly request: Request;
  readonly serve: Serve;
  readonly options: BodyReader & { readonly routeName?: string | undefined };
  readonly channels: OpenChannels;
  readonly message: ChannelOutcome<ChannelPayment>;
}

/** What a call is for, as the facilitator's books name it. */
function namesOf(url: string, route: string | undefined): SoldNames {
  return defined({ resource: bookedResource(url), route });
}

/** Returns undefined for a route without channels. */
export async function openChannels(
  { authorities }: ExchangeDeps,
  { channel: sold }: ChannelRoute,
  offers: readonly Requirements[],
): Promise<OpenChannels | undefined> {
  if (!sold) return undefined;
  const offered = await channelOffersOf(authorities, sold, offers);
  return { sold, offers: offered, entries: entriesOf(offered), isOnly: sold.isOnly };
}

/** A call of a channel, whose message may be unreadable. */
export async function respondToChannel(
  deps: ExchangeDeps,
  { of, route, rules }: ChannelRoute,
  { request, serve, options, channels, message }: ChannelAsked,
  terms: ChallengeTerms,
): Promise<ExchangeResult & { readonly payment?: PaidRequest }> {
  if (!message.ok) return refuseCall(terms, message.refusal);
  const isCall = message.value.payload.type !== "refund";
  const wrong = isCall ? await checkInput({ ...options, ...of, ...route, request }) : undefined;
  if (wrong) return undecided(wrong);
  const { sold, offers } = channels;
  const { channels: kept, cost, costHeader } = sold;
  const { url } = terms.resource;
  // A hook may withhold what was charged, so nothing of it is kept for a repeat.
  const isWithholdable = deps.extensions.some(({ afterSettle }) => afterSettle !== undefined);
  const redeliver = isWithholdable ? "never" : route.redeliver;
  const limits = { redeliver, bodyBytesMax: of.bodyBytesMax };
  const bind = () =>
    bindCall(deps, { request, payment: message.value, url, options, rules: limits });
  const names = namesOf(url, route.routeName ?? options.routeName);
  const told = { channels: kept, cost, costHeader, names, bind };
  const call = { payment: message.value, offers, terms, ...told };
  deps.leftVouchers.lookAgain(deps.waitUntil);
  const result = await serveChannel(deps, { ...rules, ...call, serve, turns: deps.turns });
  const { outcome } = result;
  return { ...result, ...defined({ payment: "payment" in outcome ? outcome.payment : undefined }) };
}
