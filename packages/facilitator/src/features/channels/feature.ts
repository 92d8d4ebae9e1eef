/** Channels: the vault of vouchers, and the claims that it makes in time. */
import type { Runtime } from "@farthing/engine/base";
import { xdc, type Network } from "@farthing/protocol";
import type { Database } from "@farthing/engine/storage";
import type { PresentFee } from "../../payments/present-fee.ts";
import type { ChannelContext } from "../../payments/channels/context.ts";
import type { ApiKey } from "../api-keys/model.ts";
import type { Feature, RunningFeature } from "../feature.ts";
import { createClaimer } from "./claimer.ts";
import { migrations } from "./migrations.ts";
import { registerChannels } from "./routes.ts";
import type { Explorers } from "../../http/site/explorers.ts";
import { registerAccountChannels } from "./account-routes.ts";
import { createAccountChannelStore, type AccountChannelStore } from "./account-store.ts";
import { createChannelEventStore, type ChannelEventStore } from "./event-store.ts";
import { createPaidClaimStore, type PaidClaimStore } from "./paid-claims.ts";
import { channelsParticipant } from "./participant.ts";
import { createVoucherStore, type VoucherStore } from "./store.ts";
import { createVault } from "./vault.ts";

export type ChannelStore = VoucherStore & ChannelEventStore & AccountChannelStore & PaidClaimStore;

export interface ChannelFeatureDeps extends Runtime, Pick<PresentFee, "fee"> {
  readonly store: ChannelStore;
  readonly explorers: Explorers;
  readonly freeCredits: number;
  readonly channels: ChannelContext;
  readonly networks: readonly Network[];
  authenticate(text: string): Promise<ApiKey | undefined>;
}

export const channels = {
  name: "channels",
  participant: channelsParticipant,
  createStore: (database: Database): ChannelStore => ({
    ...createVoucherStore(database),
    ...createChannelEventStore(database),
    ...createAccountChannelStore(database),
    ...createPaidClaimStore(database),
  }),
  migrations,
  tags: [
    {
      name: "Channels",
      description: "Payment channels: their vouchers, kept and claimed, and what they come to",
    },
  ],
  create,
} satisfies Feature;

function create(deps: ChannelFeatureDeps): RunningFeature {
  const { chain, authorizer } = deps.channels;
  const chainIds = deps.networks.map(({ chainId }) => chainId);
  // Beside mainnet, test money costs nothing, as in settlements.
  const hasMainnet = chainIds.includes(xdc.chainId);
  const priceOf = ({ chainId }: Network) => ({
    credits: hasMainnet && chainId !== xdc.chainId ? 0 : deps.fee(),
    freeCredits: deps.freeCredits,
  });
  const keep = createVault({ ...deps, chain, authorizer, priceOf });
  const claimer = createClaimer({ ...deps, chain, authorizer, chainIds });
  return {
    routes: {
      account: (server) => registerAccountChannels(server, deps),
      keyed: (server, { throttle }) => registerChannels(server, { ...deps, keep }, throttle),
    },
    jobs: [claimer.start],
  };
}
