/**
 * Which heads are believed. A backend that is ill may show a block number out of nothing, and whoever
 * believes it sees every true block as an old one from then on. So a jump is believed only when its
 * block can be read, and a head that nobody shows any more is forgotten.
 */
import { Fault } from "../base/fault.ts";
import { readHeader, type BlockHead } from "./block-headers.ts";
import type { Chain } from "./chain.ts";

/** Blocks that a head may be ahead of the last one, and for each second since: XDC makes half of it. */
const leapBlocks = 64;
const leapBlocksPerSecond = 1;

/** The highest block that can be there, so many seconds after a head was seen. */
export function reachOf(headNumber: number, seconds: number): number {
  return headNumber + leapBlocks + Math.max(0, seconds) * leapBlocksPerSecond;
}

/** Blocks behind the believed head from which on a node does not just lag: two minutes of XDC. */
const strayBlocks = 64;

/** How long only such heads are seen before the believed one is forgotten: ten blocks. */
const strayMs = 20_000;

/** What is believed of heads. */
export interface HeadBelief {
  /** Throws `rpc_unavailable` for a head that is out of reach and cannot be read. */
  check(head: BlockHead, nowMs: number): Promise<void>;
  /**
   * Notes a head below the believed one. Returns whether that one is to be forgotten: for long, no
   * endpoint has shown anything near it.
   */
  noteOlder(head: BlockHead, nowMs: number): boolean;
  /** Notes the head that is believed now. */
  note(head: BlockHead, nowMs: number): void;
}

/** Creates it; the first head has to be readable too. */
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
