/** Blocks in which hostile contract wallets burn gas. */
import { hostileFlag, type Devnet } from "@farthing/devnet";
import { startRpcProxy } from "@farthing/lab/rpc-proxy";
import { expect } from "vitest";

export interface HostileBlocks {
  /** The service's node. Its requests wait while a block is made. */
  readonly rpcUrl: string;
  make(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * A simulation between a hostile block and the moment at which the wallets behave again would fail.
 * The service would defer the payment to the next block, and how many would depend on the machine.
 */
export async function startHostileBlocks(devnet: Devnet): Promise<HostileBlocks> {
  const proxy = await startRpcProxy(devnet.rpcUrl);
  let requests = 0;
  let making: Promise<void> | undefined;
  proxy.step = async (side) => {
    if (side === "after") requests--;
    else {
      await making;
      requests++;
    }
  };

  async function make(): Promise<void> {
    await expect.poll(() => requests, { interval: 1 }).toBe(0);
    await devnet.rpc("anvil_setBalance", [hostileFlag, "0x1"]);
    await devnet.mine();
    await devnet.rpc("anvil_setBalance", [hostileFlag, "0x0"]);
  }

  return {
    rpcUrl: proxy.url,
    make: () => {
      making = make().finally(() => {
        making = undefined;
      });
      return making;
    },
    stop: () => proxy.stop(),
  };
}
