/** One call of a channel at a time within a program; a ledger's record does so between programs. */
import { createSerialQueue, type Hex } from "@farthing/protocol";
import type { ChannelPolicy } from "./channel-options.ts";

export interface ChannelTurns {
  readonly policy: ChannelPolicy;
  /** The name of this run in the ledger's records. */
  readonly holder: string;
  /** Runs when every earlier call of the channel has ended. */
  inTurn<T>(channelId: Hex, run: () => Promise<T>): Promise<T>;
}

export function channelTurns(policy: ChannelPolicy, holder: string): ChannelTurns {
  const queues = new Map<Hex, { run: ReturnType<typeof createSerialQueue>; waiting: number }>();
  return {
    policy,
    holder,
    async inTurn(channelId, run) {
      const queue = queues.get(channelId) ?? { run: createSerialQueue(), waiting: 0 };
      queues.set(channelId, queue);
      queue.waiting += 1;
      try {
        return await queue.run(run);
      } finally {
        queue.waiting -= 1;
        if (queue.waiting === 0) queues.delete(channelId);
      }
    },
  };
}
