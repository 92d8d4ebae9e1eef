/**
 * The fee of a settlement, as it is now. A row of the database has it, so that all processes charge and
 * say the same, also after a restart; each process proposes changes, and one of them is taken.
 */
import { type Runtime, startPoll, warning } from "@farthing/engine/base";
import type { FeeRule } from "./settlement-fee.ts";

export interface FeeRow {
  /** The rule that set it. */
  readonly rule: string;
  readonly credits: number;
  /** What a settlement cost before; null for the first fee of a database. */
  readonly before: number | null;
  /** When it changed, in milliseconds. */
  readonly since: number;
}

export interface FeeStore {
  readFee(): Promise<FeeRow | undefined>;
  /**
   * Changes the fee where it is still `from`, and announces another number of credits to all accounts;
   * returns whether it did.
   */
  changeFee(
    from: FeeRow | undefined,
    to: Pick<FeeRow, "rule" | "credits">,
    now: number,
  ): Promise<boolean>;
}

export interface PresentFee {
  /** Credits of a settlement that is claimed now. */
  fee(): number;
  /** When it last changed, in milliseconds; null while it never did. */
  feeSince(): number | null;
}

/** A change counts in every process within seconds. */
const pollMs = 5_000;

/**
 * A lower fee that a price allows has to be due for so long: sellers are told of each change, and a price
 * that swings about a step would change the fee all the time. A rise is not put off, because until then
 * each payment may be a loss.
 */
export const fallAfterMs = 60 * 60 * 1000;

/** `look` reads the fee and proposes a change; it throws what the store throws. */
export function createPresentFee(
  deps: Runtime & { readonly rule: FeeRule; readonly store: FeeStore },
): PresentFee & { look(): Promise<void> } {
  const { rule, store, clock, log } = deps;
  let row: FeeRow | undefined;
  /** Whether this process has brought its setting into the row, or found it there. */
  let isAdopted = false;
  let lowerSinceMs: number | undefined;

  async function read(): Promise<FeeRow | undefined> {
    const last = row;
    row = await store.readFee();
    if (last && row && last.credits !== row.credits) {
      const fields = { credits: row.credits, before: last.credits };
      log.info({ event: "settlement_fee_changed", ...fields }, "Fee of a settlement changed");
    }
    return row;
  }

  /** Returns the credits to change to; undefined while the fee stays. */
  function proposed(found: FeeRow | undefined): number | undefined {
    const isOwn = found?.rule === rule.name;
    if (isOwn) isAdopted = true;
    // Another process was started later, with other settings: the newest ones count.
    if (found && !isOwn && isAdopted) return undefined;
    const credits = rule.due(isOwn ? found.credits : undefined);
    if (!found || !isOwn || credits === undefined) return credits;
    const now = clock.nowMs();
    if (credits >= found.credits || !rule.follows) lowerSinceMs = undefined;
    // A clock that is set back begins anew.
    else if (lowerSinceMs === undefined || lowerSinceMs > now) lowerSinceMs = now;
    if (credits === found.credits) return undefined;
    return lowerSinceMs !== undefined && now - lowerSinceMs < fallAfterMs ? undefined : credits;
  }

  return {
    // Before the database was read, and on a surface without accounts.
    fee: () => row?.credits ?? rule.due(undefined) ?? 1,
    feeSince: () => (row === undefined || row.before === null ? null : row.since),
    async look() {
      const found = await read();
      const credits = proposed(found);
      if (credits === undefined) return;
      const changed = await store.changeFee(found, { rule: rule.name, credits }, clock.nowMs());
      if (changed) isAdopted = true;
      await read();
    },
  };
}

/** Reads the fee at once, and then now and then; a database that is away keeps the last one. */
export async function startFeeWatch(
  deps: Runtime & { look(): Promise<void> },
): Promise<{ stop(): Promise<void> }> {
  const { clock, log, look } = deps;
  const failed = warning(log, { event: "settlement_fee_unread" }, "Fee could not be read");
  await look().catch(failed);
  return startPoll({ clock, pauseMs: pollMs, isDelayed: true }, () => look().catch(failed));
}
