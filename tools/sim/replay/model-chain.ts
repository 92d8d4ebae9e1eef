/**
 * The blocks of a story on the simulated chain. The model counts from its newest final block and calls a
 * block final earlier than the chain does, so that some of its blocks are several here.
 */
import { finalDepth } from "@farthing/lab/audit";
import type { PoolTransaction } from "@farthing/lab/ordinary-node";
import { finalDepth as modelDepth } from "../../model/engine/chain.ts";
import type { SimEnvironment } from "../environment.ts";
import type { SeededRandom } from "../seeded-random.ts";

/** Where a choice is not the story's: the fewest blocks. */
const least: SeededRandom = {
  chance: () => false,
  whole: (min) => min,
  pick([first]) {
    if (first === undefined) throw new Error("nothing to pick from");
    return first;
  },
};

export type ModelChain = ReturnType<typeof createModelChain>;

export function createModelChain({ world, nodes, period }: SimEnvironment) {
  /** The newest block here of each block of the model above its newest final one, and of that one. */
  const tops: number[] = [];
  let base = world.head();
  /** The newest block that the service may see. */
  let shown = base;
  /** Blocks that its node is behind. */
  let behind = 0;

  function show(): void {
    for (const node of nodes) node.lag = Math.max(0, world.head() - shown) + behind;
  }

  async function mine(isWanted: (transaction: PoolTransaction) => boolean): Promise<void> {
    await period(false);
    // Hidden before it is there: the service follows it when the story says so.
    for (const node of nodes) node.lag++;
    await world.mine(isWanted);
    show();
  }

  return {
    /** Makes a block with the ordered transactions, and with those of the pool that it wants. */
    async add(isWanted: (transaction: PoolTransaction) => boolean = () => false): Promise<void> {
      await mine(isWanted);
      tops.push(world.head());
      if (tops.length <= modelDepth) return;
      base = tops.shift() ?? base;
      while (world.head() - finalDepth < base) await mine(() => false);
      tops[tops.length - 1] = world.head();
    },
    /** Says so where it cannot be done. */
    async reorganise(depth: number): Promise<string> {
      const kept = tops[tops.length - depth - 1] ?? base;
      const blocks = world.head() - kept;
      if (blocks > finalDepth) return `not played: ${blocks} blocks are too deep here`;
      await world.reorganise({ depth: blocks, keep: "relayed", random: least });
      tops.splice(tops.length - depth);
      // What replaces them is empty, and belongs to the block below.
      if (tops.length > 0) tops[tops.length - 1] = world.head();
      else base = world.head();
      shown = world.head();
      show();
      return "played";
    },
    /** Lets the service see the blocks up to a height of the model. */
    follow(height: number): number {
      shown = Math.max(shown, tops[height - 1] ?? base);
      show();
      return shown;
    },
    followAll(): void {
      shown = world.head();
      show();
    },
    setBehind(blocks: number): void {
      behind = blocks;
      show();
    },
  };
}
