/** Channels: the vault of vouchers, and the claims that it makes in time. */
import type { Runtime } from "@farthing/engine/base";
import type { SettlementEngine } from "@farthing/engine";
import type { Secret } from "@farthing/engine/base";
import type { Network } from "@farthing/protocol";
import { createAuthorizer } from "../../payments/channels/authorizer.ts";
import type { ApiKey } from "../api-keys/model.ts";
import type { Feature, RunningFeature } from "../feature.ts";
import { createClaimer } from "./claimer.ts";
import { migrations } from "./migrations.ts";
import { registerChannels } from "./routes.ts";
import { createChannelStore, type ChannelStore } from "./store.ts";
import { createVault } from "./vault.ts";

export interface ChannelFeatureDeps extends Runtime {
  readonly config: { readonly channelSecret: Secret | undefined };
  readonly store: ChannelStore;
  readonly engine: Pick<SettlementEngine, "channels">;
  readonly networks: readonly Network[];
  authenticate(text: string): Promise<ApiKey | undefined>;
}

export const channels = {
  name: "channels",
  createStore: createChannelStore,
  migrations,
  tags: [{ name: "Channels", description: "Vouchers of payment channels, kept and claimed" }],
  create,
} satisfies Feature;

function create(deps: ChannelFeatureDeps): RunningFeature {
  const authorizer = createAuthorizer(deps.config.channelSecret);
  const chain = deps.engine.channels;
  const chainIds = deps.networks.map(({ chainId }) => chainId);
  const keep = createVault({ ...deps, chain, authorizer });
  const claimer = createClaimer({ ...deps, chain, authorizer, chainIds });
  return {
    routes: {
      keyed: (server, { throttle }) =>
        registerChannels(server, { ...deps, keep, ask: claimer.ask }, throttle),
    },
    jobs: [claimer.start],
  };
}
