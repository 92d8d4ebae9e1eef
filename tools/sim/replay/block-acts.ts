/** The blocks of a story: what they contain, and when they are made. */
import type { SimEnvironment } from "../environment.ts";
import { hashOf, signOrder } from "../raw-transaction.ts";
import { createTokenEvents, sink } from "../token-events.ts";
import type { Content } from "./acts.ts";
import type { ModelChain } from "./model-chain.ts";
import type { IsSoon } from "./wait.ts";

/** Goes ahead of every relayer. */
const aheadWei = 1_000n * 10n ** 9n;

type OfWallet = Extract<Content, { readonly wallet: number }>;

export async function createBlockActs(
  environment: SimEnvironment,
  chain: ModelChain,
  isSoon: IsSoon,
) {
  const { devnet, world, payerWallets, clock } = environment;
  const tokenEvents = createTokenEvents(environment);
  /** What the wallets have sent before the story. */
  const firstNonces = await Promise.all(
    devnet.relayers.map(async ({ address }) =>
      Number(await devnet.rpc("eth_getTransactionCount", [address, "latest"])),
    ),
  );
  const nonceOf = ({ wallet, nonce }: OfWallet) => nonce + (firstNonces[wallet] ?? 0);

  async function containRelayed(content: OfWallet): Promise<string> {
    const address = devnet.relayers[content.wallet]?.address.toLowerCase();
    const nonce = nonceOf(content);
    const find = () =>
      world.waiting().find((one) => one.from.toLowerCase() === address && one.nonce === nonce);
    const isThere = await isSoon(() => find() !== undefined);
    const wanted = find();
    await chain.add((transaction) => transaction.hash === wanted?.hash);
    return isThere ? "played" : "not played: no node has it, and the block is empty";
  }

  /** Another program signs with the wallet's key. */
  function intrude(content: OfWallet): void {
    const privateKey = devnet.relayers[content.wallet]?.privateKey;
    if (!privateKey) throw new Error("A story names wallets that its run has");
    const order = { to: sink, data: "0x", gasPrice: aheadWei } as const;
    const by = { privateKey, nonce: nonceOf(content), chainId: devnet.chainId };
    environment.foreign.add(hashOf(signOrder(order, by)));
    world.order(order, privateKey);
  }

  return {
    /** Makes a block with one transaction; says so where that is not in it. */
    async contain(content: Content): Promise<string> {
      const block = world.head();
      switch (content.kind) {
        case "relay":
          return containRelayed(content);
        case "intrude":
          intrude(content);
          break;
        case "submit":
        case "cancel": {
          const what = content.kind === "submit" ? "front-run" : "cancel";
          await tokenEvents.inject({ block, what, payment: content.payment, isAhead: true });
          break;
        }
        case "drain":
        case "refill":
          await tokenEvents.inject({ block, what: content.kind, buyer: content.payment });
          break;
        default:
          return content satisfies never;
      }
      await chain.add();
      return "played";
    },
    /** Makes a block after the time of a payment; none is made meanwhile. */
    async expire(payment: number): Promise<string> {
      const signed = payerWallets.signed.get(payment);
      if (!signed) return "not played: it was not claimed";
      const untilMs = Number(signed.authorization.validBefore) * 1_000;
      // Callers come again meanwhile, as they do with each block.
      while (clock.nowMs() <= untilMs) await environment.period(false);
      await chain.add();
      return "played";
    },
  };
}
