/** The kinds of /supported for channels: for each network of a surface on which the contract is. */
import { channelScheme, usdcDecimals, type Address, type SupportedKind } from "@farthing/protocol";
import { warning } from "@farthing/engine/base";
import type { Surface } from "../../http/access/surface.ts";
import type { PaymentContext } from "../context.ts";

export async function channelKinds(
  { channels, log }: Pick<PaymentContext, "channels" | "log">,
  { versions, networks }: Pick<Surface, "versions" | "networks">,
  account: Address | null,
): Promise<SupportedKind[]> {
  if (!versions.includes(2)) return [];
  const receiverAuthorizer = channels.authorizer.addressOf(account);
  const kinds: SupportedKind[] = [];
  for (const { chainId, id, usdc, domain } of networks) {
    const fields = { event: "channel_contract_unknown", chainId };
    const message = "Channel contract not looked up; its kind is left out of /supported for now";
    const isThere = await channels.chain.isDeployed(chainId).catch(warning(log, fields, message));
    if (isThere !== true) continue;
    const extra = {
      decimals: usdcDecimals,
      ...domain,
      assetTransferMethod: "eip3009",
      ...(receiverAuthorizer && { receiverAuthorizer }),
    };
    kinds.push({ x402Version: 2, scheme: channelScheme, network: id, asset: usdc, extra });
  }
  return kinds;
}
