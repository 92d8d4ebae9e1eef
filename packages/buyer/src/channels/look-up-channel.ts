/** When the chain is asked about a channel, and what the ledger learns from it. */
import type { ChannelTools } from "./choose-channel.ts";
import { recordRead, type FoundChannel } from "./channel-rules.ts";
import type { ChannelOffer } from "./check-channel.ts";
import { readChannelState } from "./read-channel-state.ts";

/** Asks the chain where the ledger may know too little: a channel unknown to it, or a lost deposit. */
export async function findChannel(
  tools: ChannelTools,
  offer: Pick<ChannelOffer, "requirements" | "channelId">,
): Promise<FoundChannel | undefined> {
  const { ledger, runtime } = tools;
  const { channelId } = offer;
  const record = (await ledger.listChannels()).find((one) => one.channelId === channelId);
  const now = runtime.now();
  const isSure = record?.openDeposits.every(({ validBefore }) => validBefore * 1000 > now);
  if (isSure === true) return undefined;
  const read = await readChain(tools, offer);
  if (!read) return undefined;
  const { balance: balanceUnits, totalClaimed: claimedUnits } = read.state;
  if (!record) return { balanceUnits, claimedUnits };
  await ledger.changeChannels((view) => recordRead(view, channelId, read));
  return undefined;
}

export function readChain(
  tools: ChannelTools,
  { requirements, channelId }: Pick<ChannelOffer, "requirements" | "channelId">,
) {
  const { nodeFetch = tools.fetch, nodesOf } = tools;
  const { network } = requirements;
  return readChannelState(nodeFetch, nodesOf(network), network, channelId);
}
