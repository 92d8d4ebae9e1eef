/** Rereads the price of XDC, and logs when settlements begin or cease to cost more than they earn. */
import { formatEther } from "@farthing/engine";
import { startPoll, type Runtime } from "@farthing/engine/base";
import { shortUsdc } from "@farthing/protocol";
import type { NetworkStatus } from "../payments/context.ts";
import { isAtLoss, type SettlementCost } from "../payments/settlement-cost.ts";
import type { XdcPrice } from "../payments/xdc-price.ts";

/** A price counts a few seconds after it was written. */
const pollMs = 5_000;

export function startCostWatch(
  options: Runtime & {
    readonly networks: readonly NetworkStatus[];
    readonly xdcPrice: XdcPrice;
    costOf(status: NetworkStatus): SettlementCost;
  },
): { stop(): Promise<void> } {
  const { networks, xdcPrice, costOf, clock, log } = options;
  const atLoss = new Set<string>();

  function check(status: NetworkStatus): void {
    const { id } = status.network;
    const cost = costOf(status);
    const isLoss = isAtLoss(cost);
    if (isLoss === atLoss.has(id)) return;
    const facts = {
      network: id,
      costXdc: formatEther(cost.wei),
      costUsdc: cost.units === undefined ? null : shortUsdc(cost.units),
      incomeUsdc: shortUsdc(cost.incomeUnits),
    };
    if (isLoss) {
      atLoss.add(id);
      log.warn({ event: "settlement_loss", ...facts }, "Settlements cost more than they earn");
    } else {
      atLoss.delete(id);
      const fields = { event: "settlement_loss_ended", ...facts };
      log.info(fields, "Settlements no longer cost more than they earn");
    }
  }

  return startPoll({ clock, pauseMs: pollMs }, async () => {
    await xdcPrice.look();
    for (const status of networks) check(status);
  });
}
