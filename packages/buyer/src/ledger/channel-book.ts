/** The channels of a ledger, in memory. */
import { isSameAddress, type Hex } from "@farthing/protocol";
import { heldUnits, spentUnits, type ChannelRecord } from "../channels/channel-record.ts";
import type { LedgerScope } from "./ledger.ts";
import { dayMs } from "./limits.ts";

export class ChannelBook {
  readonly #channels = new Map<Hex, ChannelRecord>();

  put(record: ChannelRecord): void {
    this.#channels.set(record.channelId, record);
  }

  find(channelId: Hex): ChannelRecord | undefined {
    return this.#channels.get(channelId);
  }

  /** The oldest first. */
  list(): ChannelRecord[] {
    return [...this.#channels.values()].sort((one, other) => one.openedAt - other.openedAt);
  }

  get size(): number {
    return this.#channels.size;
  }

  spentUnits(scope: LedgerScope, since: number): bigint {
    let units = 0n;
    for (const record of this.#channels.values()) {
      const { network, config } = record;
      const isInScope =
        network === scope.network &&
        isSameAddress(config.payer, scope.wallet) &&
        isSameAddress(config.token, scope.asset);
      if (isInScope) units += spentUnits(record, since);
    }
    return units;
  }

  /** Drops channels that were given back in full and have not been used for a day. */
  forget(now: number): void {
    for (const [id, record] of this.#channels) {
      const isOver = heldUnits(record) === 0n && record.openDeposits.length === 0;
      const isTold = record.stopped === undefined && record.signedUnits === record.claimedUnits;
      if (isOver && isTold && record.usedAt < now - dayMs) this.#channels.delete(id);
    }
  }
}
