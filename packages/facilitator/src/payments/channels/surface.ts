/** Where channels are served: on surfaces with the network, in version 2, once the contract is there. */
import type { Network } from "@farthing/protocol";
import type { VerifyOptions } from "@farthing/engine";
import { isServed, unitsMinOf, type Surface } from "../../http/access/surface.ts";
import type { PaymentContext } from "../context.ts";

/** Throws a fault where the chain cannot be asked. */
export async function isChannelServed(
  { channels }: Pick<PaymentContext, "channels">,
  surface: Surface,
  network: Network,
): Promise<boolean> {
  return isServed(surface, 2, network) && (await channels.chain.isDeployed(network.chainId));
}

/** How a deposit is verified: as any payment of the surface. */
export function channelOptions(context: PaymentContext, surface: Surface): VerifyOptions {
  return {
    served: isServed.bind(undefined, surface),
    marginSeconds: context.settleMarginSeconds,
    unitsMin: unitsMinOf(context, surface),
  };
}
