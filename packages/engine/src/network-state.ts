/** What a network's engine says of itself: for readiness, metrics and the status page. */
import type { Address, Network } from "@farthing/protocol";
import type { ChainView } from "./chain/follower/chain-view.ts";
import type { EndpointLimits } from "./chain/endpoints/endpoint-limiter.ts";
import type { NetworkEngine } from "./network-engine.ts";
import type { RelayerLoad, WalletLoad } from "./relayer/relayer.ts";

export interface NetworkState {
  readonly network: Network;
  readonly relayers: readonly Address[];
  /** The newest state of the chain; undefined until the chain has been read. */
  view(): ChainView | undefined;
  load(): RelayerLoad;
  wallets(): readonly WalletLoad[];
  /** The request limits of each RPC endpoint. */
  endpointLimits(): readonly EndpointLimits[];
  /** The price of gas that transactions pay now, in wei, and why nothing is sent at it, if so. */
  gasPrice(): { readonly wei: bigint; readonly problem: string | undefined };
  /** Why nothing is claimed, while payments that the database has lost are searched. */
  lostProblem(): string | undefined;
  /** Which blocks no search has read for lost payments since the start, and what to do about it. */
  lostUnread(): string | undefined;
  /** Since when the token is paused by its issuer, in milliseconds; undefined while it is not. */
  tokenPausedSinceMs(): number | undefined;
  /** What payments and their recovery wait for now. */
  waitsFor(): ReadonlySet<WaitReason>;
}

/**
 * - `node_rate_limit`: an endpoint takes no more requests for now.
 * - `reorg_depth`: a transaction left no log, and its block has to be final before anything follows.
 * - `gas_price`: gas costs more than the settings allow.
 * - `token_pause`: the issuer has paused USDC.
 * - `nonce_gap`: a wallet's transactions stand behind a nonce that the chain has not seen.
 * - `search`: payments that the database has lost are searched on the chain.
 */
export const waitReasons = [
  "node_rate_limit",
  "reorg_depth",
  "gas_price",
  "token_pause",
  "nonce_gap",
  "search",
] as const;

export type WaitReason = (typeof waitReasons)[number];

export function stateOf({
  chain,
  relayer,
  gasPrices,
  lost,
  tokenPause,
  view,
}: NetworkEngine): NetworkState {
  // Each is computed when it is read, because a payment needs the price alone.
  const gasPriceState = {
    get wei() {
      return gasPrices.now();
    },
    get problem() {
      return gasPrices.problem();
    },
  };
  return {
    network: chain.network,
    relayers: relayer.addresses,
    view,
    load: relayer.load,
    wallets: relayer.wallets,
    endpointLimits: () => chain.limits(),
    gasPrice: () => gasPriceState,
    lostProblem: () => lost.problem(),
    lostUnread: () => lost.unread(),
    tokenPausedSinceMs: () => tokenPause.sinceMs(),
    waitsFor: () => {
      const wallets = relayer.wallets();
      const waits: Readonly<Record<WaitReason, boolean>> = {
        node_rate_limit: chain.isHeldUp(),
        reorg_depth: wallets.some(({ awaitsFinality }) => awaitsFinality),
        gas_price: gasPrices.problem() !== undefined,
        token_pause: tokenPause.sinceMs() !== undefined,
        nonce_gap: wallets.some((wallet) => isBehindGap(wallet, view())),
        search: lost.problem() !== undefined,
      };
      return new Set(waitReasons.filter((reason) => waits[reason]));
    },
  };
}

/** Whether the chain has not used the nonce before the lowest one that a wallet has in hand. */
function isBehindGap({ address, lowestNonce }: WalletLoad, view: ChainView | undefined): boolean {
  const used = view?.wallets.get(address)?.transactionCount;
  return used !== undefined && lowestNonce !== undefined && lowestNonce > used;
}
