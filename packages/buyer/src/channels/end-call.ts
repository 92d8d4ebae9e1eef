/** Writes how a call on a channel ended, by the rules of the ledger. */
import type { ChannelTools } from "./choose-channel.ts";
import type { ChannelRecord } from "./channel-record.ts";
import { endCall, isAsBegun, type CallEnd } from "./channel-rules.ts";
import type { Recovery } from "./recover-channel.ts";

type EndTools = Pick<ChannelTools, "ledger" | "runtime">;

/** `begun` is the record as it was written when the call began. */
export function end(
  { ledger, runtime }: EndTools,
  begun: ChannelRecord,
  how: CallEnd,
): Promise<ChannelRecord | undefined> {
  return ledger.changeChannels((view) => endCall(view, begun, how, runtime.now()));
}

/** Ends the use of a channel for good. What it still holds comes back by a refund or a withdrawal. */
export async function stopChannel(
  tools: EndTools,
  begun: ChannelRecord,
  reason: string,
): Promise<void> {
  await end(tools, begun, { kind: "stopped", reason });
}

/** `overtaken`: another program has gone on meanwhile, so the answer proves nothing of the record. */
export type CorrectedEnd = Recovery | { readonly kind: "overtaken" };

/** Evaluates a seller's other total by the record of the call, and writes what follows. */
export function endCorrected(
  { ledger, runtime }: EndTools,
  begun: ChannelRecord,
  evaluate: (record: ChannelRecord) => Recovery,
): Promise<CorrectedEnd> {
  return ledger.changeChannels((view) => {
    const record = view.find(begun.channelId);
    const isOvertaken = !record || !isAsBegun(record, begun);
    const result = isOvertaken ? ({ kind: "overtaken" } as const) : evaluate(record);
    const { put } = endCall(view, begun, callEndOf(result), runtime.now());
    return { ...(put ? { put } : {}), result };
  });
}

function callEndOf(corrected: CorrectedEnd): CallEnd {
  if (corrected.kind === "lie") return { kind: "stopped", reason: corrected.reason };
  return corrected.kind === "recovered" ? corrected : { kind: "unanswered" };
}
