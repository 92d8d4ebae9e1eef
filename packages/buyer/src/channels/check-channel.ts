/** The checks of a channel's entry before anything is signed, beside those of a single payment. */
import {
  channelIdOf,
  isSameAddress,
  member,
  parseChannelRequirements,
  withdrawDelayMin,
  zeroAddress,
  type ChannelConfig,
  type ChannelRequirements,
  type Hex,
  type JsonObject,
  type Requirements,
} from "@farthing/protocol";
import { fail, pass, type Check } from "../offer/check-offer.ts";
import type { Offer } from "../offer/read-challenge.ts";
import type { ChannelPolicy } from "./channel-options.ts";
import { configOf, type ChannelSigners } from "./sign-channel.ts";

/** An entry that describes a channel which this wallet can have. */
export interface ChannelOffer {
  readonly raw: JsonObject;
  readonly requirements: ChannelRequirements;
  readonly config: ChannelConfig;
  readonly channelId: Hex;
  /** Seconds for which a deposit may be valid. */
  readonly maxTimeoutSeconds: number;
}

/** What published servers ask for; entries that name no time are rare. */
const timeoutSecondsDefault = 60;

export type ChannelReading =
  | { readonly ok: true; readonly offer: ChannelOffer }
  | { readonly ok: false; readonly message: string };

export function readChannelOffer(signers: ChannelSigners, raw: JsonObject): ChannelReading {
  const parsed = parseChannelRequirements(raw);
  if (!parsed.ok) return { ok: false, message: parsed.refusal.message };
  const requirements = parsed.value;
  const { amount, receiverAuthorizer, withdrawDelay, network } = requirements;
  if (amount === 0n) return { ok: false, message: "The entry names no price." };
  if (receiverAuthorizer === undefined || receiverAuthorizer === zeroAddress) {
    return { ok: false, message: "The entry names no extra.receiverAuthorizer." };
  }
  if (withdrawDelay === undefined || withdrawDelay < withdrawDelayMin) {
    return { ok: false, message: "The entry names no extra.withdrawDelay of the contract." };
  }
  const config = configOf(signers, requirements);
  if (!config) {
    return { ok: false, message: "A contract wallet needs channels.voucherSigner for a channel." };
  }
  const seconds = member(raw, "maxTimeoutSeconds");
  const isTime = typeof seconds === "number" && Number.isFinite(seconds) && seconds >= 1;
  const maxTimeoutSeconds = isTime ? Math.floor(seconds) : timeoutSecondsDefault;
  const channelId = channelIdOf(network, config);
  return { ok: true, offer: { raw, requirements, config, channelId, maxTimeoutSeconds } };
}

/** The entry in the shape of a single payment's, for the checks that both have. */
export function asSinglePayment(
  { raw, requirements, maxTimeoutSeconds }: ChannelOffer,
  around: Pick<Offer, "resource" | "extensions">,
): Offer & { readonly requirements: Requirements } {
  const { network, asset, amount, payTo, domainName, domainVersion } = requirements;
  return {
    source: "header",
    index: 0,
    raw,
    requirements: {
      version: 2,
      network,
      networkName: network.id,
      asset,
      amount,
      payTo,
      maxTimeoutSeconds,
      ...(domainName === undefined ? {} : { domainName }),
      ...(domainVersion === undefined ? {} : { domainVersion }),
    },
    ...around,
  };
}

/** The checks that single payments do not have. */
export function checkChannel(
  { config }: Pick<ChannelOffer, "config">,
  { withdrawDelayMax }: ChannelPolicy,
): Check[] {
  const { withdrawDelay, payer, receiverAuthorizer } = config;
  const delay =
    withdrawDelay <= withdrawDelayMax
      ? pass("withdraw_delay", `${withdrawDelay} s until a withdrawal ends`)
      : fail(
          "withdraw_delay",
          "channel_unusable",
          `A withdrawal from the channel would take ${withdrawDelay} s; channels.withdrawDelayMax is ${withdrawDelayMax} s.`,
        );
  const authorizer = isSameAddress(receiverAuthorizer, payer)
    ? fail("authorizer", "channel_unusable", "The seller's authorizer is the payer itself.")
    : pass("authorizer", receiverAuthorizer);
  return [delay, authorizer];
}
