/** Rereads blocks whose logs lacked authorizations that their receipts hold. */
import type { Hex } from "@farthing/protocol";
import type { Log } from "../../base/log.ts";
import type { BlockHead } from "../reads/block-headers.ts";
import type { BlockLogs } from "../logs/block-logs.ts";
import type { Chain } from "../endpoints/chain.ts";
import type { BlockListener } from "./chain-view.ts";

/** Two minutes of XDC, and blocks per attempt. Expiry finds payments of dropped blocks. */
const lackingMax = 64;
const lateBlocksMax = 4;

export interface LateLogsDeps {
  readonly chain: Chain;
  readonly log: Log;
  readonly listener: BlockListener;
}

export class LateLogs {
  readonly #deps: LateLogsDeps;
  readonly #logs: BlockLogs;
  readonly #lacking = new Map<Hex, BlockHead>();

  constructor(deps: LateLogsDeps, logs: BlockLogs) {
    this.#deps = deps;
    this.#logs = logs;
  }

  count(): number {
    return this.#lacking.size;
  }

  forgetAbove(number: number): void {
    for (const [hash, block] of this.#lacking) {
      if (block.number > number) this.#lacking.delete(hash);
    }
  }

  /** Reads the oldest of these blocks again; `known` holds the hashes of the chain's blocks. */
  async report(known: ReadonlyMap<number, Hex>): Promise<void> {
    for (const [hash, block] of this.#lacking) {
      // Another block took its place, and was read instead.
      if ((known.get(block.number) ?? hash) !== hash) this.#lacking.delete(hash);
    }
    const blocks = [...this.#lacking.values()].slice(0, lateBlocksMax);
    const read = await this.#logs.read(blocks);
    for (const [index, { events, isWhole }] of read.entries()) {
      const block = blocks[index];
      if (!block) continue;
      if (isWhole) {
        await this.#deps.listener.onBlock({ ...block, events, wallets: new Map(), isHead: false });
      }
      this.#lacking.delete(block.hash);
      // Blocks that are still incomplete go to the end of the queue.
      if (!isWhole) this.#lacking.set(block.hash, block);
    }
  }

  note(block: BlockHead): void {
    const { chain, log } = this.#deps;
    this.#lacking.set(block.hash, block);
    if (this.#lacking.size === 1) {
      log.error(
        { event: "logs_lacking", chainId: chain.network.chainId, blockNumber: block.number },
        "RPC endpoint's logs lack authorizations that its receipts hold; payments are reported once they come",
      );
    }
    const [oldest] = this.#lacking.keys();
    if (this.#lacking.size > lackingMax && oldest !== undefined) this.#lacking.delete(oldest);
  }
}
