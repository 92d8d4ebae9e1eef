/**
 * Claims of a gateway's channels. A facilitator with an API key keeps the vouchers and claims them; where
 * none does, the gateway claims by itself, often enough that a payer's withdrawal comes too late.
 */
import {
  createSeller,
  parseValidFor,
  type ChannelCallReport,
  type Facilitator,
  type SellerChannels,
  type StoredChannel,
} from "@farthing/seller";
import { allRoutes, type GatewayConfig } from "./configuration/configuration.ts";
import { createClients } from "./facilitators.ts";
import type { Log } from "./log.ts";
import { openPaymentRecords } from "./open-payment-records.ts";
import type { ChargingDeps } from "./paid-route.ts";

/** A claim that fails leaves time for two more before a withdrawal of that moment can end. */
const claimsPerDelay = 3;

/** The delay of a route that names none. */
const delayDefault = "1d";

type ChannelDeps = Pick<ChargingDeps, "facilitators" | "grants" | "desk">;

/** Milliseconds between two claims; undefined where the facilitators claim, or no route has channels. */
export function claimEveryMs(
  config: GatewayConfig,
  facilitators: readonly Pick<Facilitator, "keepVouchers">[],
): number | undefined {
  const delays = allRoutes(config).flatMap(({ channel }) =>
    channel ? [parseValidFor(channel.withdrawDelay ?? delayDefault) ?? Infinity] : [],
  );
  const isKept = facilitators.every(({ keepVouchers }) => keepVouchers !== undefined);
  return delays.length === 0 || isKept ? undefined : Math.min(...delays) / claimsPerDelay;
}

/** Claims now and at regular times. Returns what ends that. */
export function claimRegularly(
  config: GatewayConfig,
  { log, ...deps }: ChannelDeps & Pick<ChargingDeps, "log">,
): () => void {
  const everyMs = claimEveryMs(config, deps.facilitators);
  if (everyMs === undefined || !deps.desk) return () => undefined;
  const channels = sellerOfChannels(config, deps);
  const claim = async (): Promise<void> => {
    try {
      const claimed = await channels.claim();
      if (log) logClaims(log, claimed);
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      log?.warn({ event: "channel_claim_failed", problem }, failed);
    }
  };
  const timer = setInterval(() => void claim(), everyMs).unref();
  void claim();
  return () => clearInterval(timer);
}

const failed = "Claim of channels failed; the next one claims the same";

function logClaims(log: Log, { claims, sweeps }: Awaited<ReturnType<SellerChannels["claim"]>>) {
  const warn = ({ reason: problem, network }: ChannelCallReport): void => {
    log.warn({ event: "channel_claim_failed", problem, network }, failed);
  };
  for (const claim of claims) {
    const { outcome, units, transaction, channelIds } = claim;
    if (outcome !== "done") warn(claim);
    const fields = { channels: channelIds.length, amountUnits: `${units}`, transaction };
    if (outcome === "done") log.info({ event: "channels_claimed", ...fields }, "Channels claimed");
  }
  for (const sweep of sweeps) {
    const { outcome, units, transaction, receiver } = sweep;
    if (outcome !== "done") warn(sweep);
    const fields = { receiver, amountUnits: `${units}`, transaction };
    const message = "Claimed money sent to its receiver";
    if (outcome === "done") log.info({ event: "claims_swept", ...fields }, message);
  }
}

/** A seller with the channels of all routes. */
function sellerOfChannels(config: GatewayConfig, deps: ChannelDeps): SellerChannels {
  const { payTo, network, channels } = config;
  const { facilitators: facilitator, grants, desk } = deps;
  const options = { facilitator, grants, payTo, network: network.id, channels };
  const seller = createSeller({ ...options, onEvent: () => undefined }, undefined, desk);
  for (const { amountUnits: price, channel } of allRoutes(config)) {
    if (price !== undefined && channel) seller.route({ price, channel });
  }
  return seller.channels;
}

/** The channels of a gateway's store, for its operator. */
export interface GatewayChannels extends SellerChannels {
  /** Those of which something is to be claimed, after the one with this id. */
  unclaimed(afterId: string, limit: number): Promise<readonly StoredChannel[]>;
  close(): void;
}

/** Opens the store of a gateway, which may run meanwhile. Undefined for a store in its memory. */
export function openGatewayChannels(
  config: GatewayConfig,
  embedded?: Facilitator,
): GatewayChannels | undefined {
  if (config.store.kind === "memory") return undefined;
  const grants = openPaymentRecords(config);
  const facilitators = createClients(config, embedded);
  return {
    ...sellerOfChannels(config, { facilitators, grants }),
    unclaimed: async (afterId, limit) =>
      (await grants.channels?.list("unclaimed", afterId, limit)) ?? [],
    close: () => grants.close(),
  };
}
