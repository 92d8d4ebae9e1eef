/**
 * Decides which heads to accept. A faulty backend may show an arbitrary block number, after which
 * every true block looks old. So a jump is accepted only if its block can be read, and a head that
 * no endpoint shows any more is forgotten.
 */
import { Fault } from "../../base/fault.ts";
import { readHeader, type BlockHead } from "../reads/block-headers.ts";
import type { ChainView } from "./chain-view.ts";
import type { Chain } from "../endpoints/chain.ts";
import type { PaymentReader } from "../payments/payment-reader.ts";

/** How far a head may be ahead of the last one, plus this much a second: XDC makes half of it. */
const leapBlocks = 64;
const leapBlocksPerSecond = 1;

/** The highest block that can exist this many seconds after a head was seen. */
export function reachOf(headNumber: number, seconds: number): number {
  return headNumber + leapBlocks + Math.max(0, seconds) * leapBlocksPerSecond;
}

/** A node this far behind the accepted head does not just lag: two minutes of XDC. */
const strayBlocks = 64;

/** The accepted head is forgotten when only such heads are seen for this long: ten blocks. */
const strayMs = 20_000;

/** The first head has to be readable too. */
export class AcceptedHead {
  readonly #chain: Chain;
  #accepted: { readonly number: number; readonly atMs: number } | undefined;
  #strayedAtMs: number | undefined;

  constructor(chain: Chain) {
    this.#chain = chain;
  }

  /** Throws `rpc_unavailable` for a head that is out of reach and cannot be read. */
  async check({ number, hash }: BlockHead, nowMs: number): Promise<void> {
    const last = this.#accepted;
    if (last && number <= reachOf(last.number, (nowMs - last.atMs) / 1_000)) return;
    const there = await readHeader(this.#chain, number);
    if (there.number === number && there.hash === hash) return;
    throw new Fault("rpc_unavailable", `The endpoint shows a head, ${number}, without its block`);
  }

  /** Returns true when no endpoint has shown anything near the accepted head for long. */
  noteOlder({ number }: BlockHead, nowMs: number): boolean {
    if (!this.#accepted || this.#accepted.number - number <= strayBlocks) {
      this.#strayedAtMs = undefined;
      return false;
    }
    this.#strayedAtMs ??= nowMs;
    return nowMs - this.#strayedAtMs >= strayMs;
  }

  note({ number }: BlockHead, nowMs: number): void {
    this.#accepted = { number, atMs: nowMs };
    this.#strayedAtMs = undefined;
  }
}

/**
 * Replaces a reading's block by the followed head if the chain cannot have reached it: a search from
 * above the head never finds the payment's event. Throws `rpc_unavailable` before the first head.
 */
export function limitReadings(
  read: PaymentReader,
  view: () => ChainView | undefined,
): PaymentReader {
  return async (check) => {
    const reading = await read(check);
    const seen = view();
    if (!seen) throw new Fault("rpc_unavailable", "No block of the network was seen yet");
    const { head, seenSecondsAgo } = seen;
    const isInReach = reading.blockNumber <= reachOf(head.number, seenSecondsAgo);
    return isInReach ? reading : { ...reading, blockNumber: head.number };
  };
}
