/** What a route asks for by channels: one entry of the challenge for each network of its seller. */
import { toChannelEntry, type ChannelOffer, type Requirements } from "@farthing/protocol";
import type { ChannelAuthorities, ChannelAuthority } from "./channel-authorizers.ts";
import type { ChannelTermsOfRoute } from "./channel-options.ts";

/** An offer, and who signs for its channels. */
export interface OfferedChannel extends ChannelOffer {
  readonly authority: ChannelAuthority;
}

/** Calls that a first deposit pays for, where the seller names no amount; as stock sellers ask for. */
const defaultDepositCalls = 10n;

/** Leaves a network out while nobody can be asked who signs for its channels. */
export async function channelOffersOf(
  authorities: ChannelAuthorities,
  { withdrawDelay, minDeposit }: ChannelTermsOfRoute,
  offers: readonly Requirements[],
): Promise<readonly OfferedChannel[]> {
  const offered: OfferedChannel[] = [];
  for (const { network, amount, payTo, maxTimeoutSeconds } of offers) {
    const authority = await authorities.at(network);
    if (!authority) continue;
    const floor = minDeposit ?? amount * defaultDepositCalls;
    offered.push({
      network,
      amount,
      payTo,
      maxTimeoutSeconds,
      receiverAuthorizer: authority.address,
      withdrawDelay,
      minDeposit: floor > amount ? floor : amount,
      authority,
    });
  }
  return offered;
}

export function entriesOf(offered: readonly OfferedChannel[]) {
  return offered.map((offer) => toChannelEntry(offer));
}
