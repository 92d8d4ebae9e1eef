/** Logs when a relayer wallet runs low on gas and when it has been refilled. */
import {
  type ChainView,
  formatEther,
  paysFor,
  settlementsLow,
  gasPriceFloorWei,
} from "@farthing/engine";
import { startPoll, type Runtime } from "@farthing/engine/base";

const pollMs = 60_000;

export interface Watched {
  readonly chainId: number;
  view(): ChainView | undefined;
}

/** Logs one line per change. */
export function startWalletWatch(
  options: Runtime & {
    readonly networks: readonly Watched[];
  },
): { stop(): Promise<void> } {
  const { networks, clock, log } = options;
  const low = new Set<string>();

  function check({ chainId, view }: Watched): void {
    const { wallets = new Map<string, never>(), gasPrice = 0n } = view() ?? {};
    const price = gasPrice > gasPriceFloorWei ? gasPrice : gasPriceFloorWei;
    for (const [relayer, { balance }] of wallets) {
      const settlements = paysFor(balance, price);
      const key = `${chainId}:${relayer}`;
      const isLow = settlements < settlementsLow;
      if (isLow === low.has(key)) continue;
      const fields = {
        chainId,
        relayer,
        xdc: formatEther(balance),
        settlements: Number(settlements),
      };
      if (isLow) {
        low.add(key);
        log.warn({ event: "wallet_low", ...fields }, "Relayer wallet low on gas");
      } else {
        low.delete(key);
        log.info({ event: "wallet_refilled", ...fields }, "Relayer wallet refilled");
      }
    }
  }

  return startPoll({ clock, pauseMs: pollMs }, () => {
    for (const network of networks) check(network);
  });
}
