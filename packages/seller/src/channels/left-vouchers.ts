/**
 * Vouchers that a process charged and did not pass on before it died, or while the facilitator was away.
 * Each process that shares its records looks for them, at its start and once a minute, so that they wait
 * neither for another call of their channel nor for a claim. At its start and every fifth time it passes
 * on all that is unclaimed, since the facilitator's database may have lost what it had acknowledged.
 */
import { findNetwork } from "@farthing/protocol";
import type { Clock, WaitUntil } from "../clock.ts";
import type { StoredChannel } from "../payment-records/channels/channel-store.ts";
import type { Channels } from "../payment-records/channels/channels.ts";
import type { ChannelAuthorities } from "./channel-authorizers.ts";
import type { VoucherVault } from "./voucher-vault.ts";

/** A voucher waits this long at most: short beside any delay of a withdrawal, and one small query. */
const lookMs = 60_000;

/** Five minutes are a third of the shortest withdrawal: what is claimed after two thirds is in time. */
const looksPerRound = 5;

/** Channels that are read at once, and that one look passes on at most; the next look goes on. */
const channelsPerPage = 100;
const channelsPerLook = 10_000;

export interface LeftVouchers {
  /** Looks now and once a minute, where the runtime has timers. */
  start(): void;
  /** Looks where the last look was a minute ago, for runtimes that have no timers between requests. */
  lookAgain(waitUntil: WaitUntil | undefined): void;
}

interface Deps {
  /** Undefined where the store keeps none. */
  readonly channels: Channels | undefined;
  readonly authorities: ChannelAuthorities;
  readonly vault: VoucherVault;
  readonly clock: Clock;
}

export function createLeftVouchers({ channels, authorities, vault, clock }: Deps): LeftVouchers {
  let dueAtMs = 0;
  let looks = 0;
  let isStarted = false;

  async function passOn(channel: StoredChannel, isAgain: boolean): Promise<void> {
    const network = findNetwork(channel.network);
    const authority = network && (await authorities.at(network));
    // Other sellers may share the records, each with channels of its own.
    if (authority?.address !== channel.config.receiverAuthorizer) return;
    await vault.pass(channel, authority, isAgain);
  }

  async function look(): Promise<void> {
    dueAtMs = clock.now() + lookMs;
    if (!channels || !vault.isThere) return;
    const isAgain = looks++ % looksPerRound === 0;
    const passing: Promise<void>[] = [];
    let afterId = "";
    while (passing.length < channelsPerLook) {
      const page = await channels.list(
        isAgain ? "unclaimed" : "unvaulted",
        afterId,
        channelsPerPage,
      );
      for (const channel of page) passing.push(passOn(channel, isAgain));
      const last = page.at(-1);
      if (!last) break;
      afterId = last.id;
    }
    await Promise.allSettled(passing);
  }

  async function lookForEver(): Promise<void> {
    for (;;) {
      // A store or a facilitator that cannot be asked now is asked with the next look.
      look().catch(() => undefined);
      await clock.sleep(lookMs, "background");
    }
  }

  return {
    start() {
      if (isStarted || !channels || !vault.isThere) return;
      isStarted = true;
      // Some runtimes have no timers before the first request.
      lookForEver().catch(() => undefined);
    },
    lookAgain(waitUntil) {
      if (clock.now() < dueAtMs) return;
      const looking = look().catch(() => undefined);
      waitUntil?.(looking);
    },
  };
}
