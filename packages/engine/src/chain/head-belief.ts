/**
 * Decides which heads to accept. A faulty backend may show an arbitrary block number, after which
 * every true block looks old. So a jump is accepted only if its block can be read, and a head that
 * no endpoint shows any more is forgotten.
 */
import { Fault } from "../base/fault.ts";
import { readHeader, type BlockHead } from "./block-headers.ts";
import type { Chain } from "./chain.ts";

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

export interface HeadBelief {
  /** Throws `rpc_unavailable` for a head that is out of reach and cannot be read. */
  check(head: BlockHead, nowMs: number): Promise<void>;
  /** Returns true when no endpoint has shown anything near the accepted head for long. */
  noteOlder(head: BlockHead, nowMs: number): boolean;
  note(head: BlockHead, nowMs: number): void;
}

/** The first head has to be readable too. */
export function createHeadBelief(chain: Chain): HeadBelief {
  let believed: { readonly number: number; readonly atMs: number } | undefined;
  let strayedAtMs: number | undefined;
  return {
    async check(head, nowMs) {
      if (believed) {
        const seconds = (nowMs - believed.atMs) / 1_000;
        if (head.number <= reachOf(believed.number, seconds)) return;
      }
      const there = await readHeader(chain, head.number);
      if (there.number === head.number && there.hash === head.hash) return;
      throw new Fault(
        "rpc_unavailable",
        `The endpoint shows a head, ${head.number}, without its block`,
      );
    },
    noteOlder({ number }, nowMs) {
      if (!believed || believed.number - number <= strayBlocks) {
        strayedAtMs = undefined;
        return false;
      }
      strayedAtMs ??= nowMs;
      return nowMs - strayedAtMs >= strayMs;
    },
    note({ number }, nowMs) {
      believed = { number, atMs: nowMs };
      strayedAtMs = undefined;
    },
  };
}
