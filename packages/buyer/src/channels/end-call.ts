/** Writes how a call on a channel ended, by the rules of the ledger. */
import type { Hex } from "@farthing/protocol";
import type { ChannelTools } from "./choose-channel.ts";
import type { ChannelRecord } from "./channel-record.ts";
import { endCall, type CallEnd } from "./channel-rules.ts";

export function end(
  { ledger, runtime }: Pick<ChannelTools, "ledger" | "runtime">,
  channelId: Hex,
  how: CallEnd,
): Promise<ChannelRecord | undefined> {
  return ledger.changeChannels((view) => endCall(view, channelId, how, runtime.now()));
}

/** Ends the use of a channel for good. What it still holds comes back by a refund or a withdrawal. */
export async function stopChannel(
  tools: Pick<ChannelTools, "ledger" | "runtime">,
  { channelId }: ChannelRecord,
  reason: string,
): Promise<void> {
  await end(tools, channelId, { kind: "stopped", reason });
}
