/**
 * Every pairing of a buyer, a seller and a facilitator of channels, ours and the published ones, but for
 * the published ones alone; and our seller with the vault of our facilitator, where it has a key.
 */
import { auditChannels, readChannelLedger } from "@farthing/lab/audit";
import { networkOfChain, type Address, type Hex } from "@farthing/protocol";
import { chainId, startDeployment } from "../../../interop/deployment.ts";
import { openOurBuyer, openOurShop } from "./our-parties.ts";
import type { FacilitatorAddress, Maker } from "./parties.ts";
import { goodsFor, playPairing, type PlayFigures } from "./play-pairing.ts";
import { openStockBuyer, openStockFacilitator, openStockShop } from "./stock-parties.ts";

export interface Pairing {
  readonly facilitator: Maker;
  readonly buyer: Maker;
  readonly seller: Maker;
  /** Whether the seller has a key of the facilitator, which then keeps its vouchers. */
  readonly hasVault: boolean;
}

export interface PairingResult extends PlayFigures {
  readonly pairing: Pairing;
  /** That the facilitator sent; undefined where pairings are played at once. */
  readonly transactions: number | undefined;
  readonly ms: number;
}

const makers = ["our", "stock"] as const;

export const pairings: readonly Pairing[] = [
  ...makers
    .flatMap((facilitator) =>
      makers.flatMap((buyer) =>
        makers.map((seller) => ({ facilitator, buyer, seller, hasVault: false })),
      ),
    )
    .filter((one) => Object.values(one).includes("our")),
  ...makers.map((buyer) => ({ facilitator: "our", buyer, seller: "our", hasVault: true }) as const),
];

/** Signs the claims of sellers with a key. */
const channelSecret = "the secret of the pairings, with more than 32 characters";

const nothingPlayed: PlayFigures = {
  calls: 0,
  deposits: 0,
  deposited: 0n,
  charged: 0n,
  claimed: 0n,
  refunded: 0n,
  left: 0n,
  problems: [],
};

export interface PlayOptions {
  /** Of each pairing. */
  readonly calls: number;
  /** Saves the waiting for blocks; nothing is measured then. */
  readonly atOnce?: boolean;
  readonly onResult?: (result: PairingResult) => void;
}

/** Plays all; the second value is what the chain as a whole breaks. */
export async function playPairings({ calls, atOnce = false, onResult }: PlayOptions) {
  await using stack = new AsyncDisposableStack();
  const deployment = await startDeployment({
    // Each pairing has a buyer, a seller, and the wallet of a facilitator.
    buyers: 3 * pairings.length,
    env: { FARTHING_CHANNEL_SECRET: channelSecret },
  });
  stack.defer(() => deployment.stop());
  const { devnet, surfaces } = deployment;
  const table = { devnet, network: networkOfChain(chainId) };
  const goods = goodsFor(calls);
  const receivers = new Set<Address>();

  /** A published facilitator of its own for each pairing: one wallet at once loses count of its nonces. */
  async function openFacilitator({ facilitator, hasVault }: Pairing) {
    if (facilitator === "our") {
      const by: FacilitatorAddress = hasVault ? surfaces.public : surfaces.hosted;
      return { by, senders: devnet.relayers.map(({ address }) => address) };
    }
    const wallet = deployment.newBuyer();
    const by = await openStockFacilitator(table, wallet);
    stack.defer(() => by.close());
    return { by, senders: [wallet.address] };
  }

  async function play(pairing: Pairing): Promise<PairingResult> {
    const { buyer: buying, seller: selling, hasVault } = pairing;
    const { by, senders } = await openFacilitator(pairing);
    const payer = deployment.newBuyer();
    // The key is that of the devnet's seller.
    const payee = hasVault ? devnet.seller : deployment.newBuyer();
    receivers.add(payee.address);
    const openShop = selling === "our" ? openOurShop : openStockShop;
    const shop = await openShop(table, by, payee, goods);
    stack.defer(() => shop.close());
    const openBuyer = buying === "our" ? openOurBuyer : openStockBuyer;
    const buyer = openBuyer(table, payer, goods);
    const [sentBefore, startedAt] = [await countSent(senders), performance.now()];
    const figures = await playPairing({ table, goods, buyer, shop, payer, payee, calls }).catch(
      (error: unknown) => ({ ...nothingPlayed, problems: [String(error)] }),
    );
    const transactions = atOnce ? undefined : (await countSent(senders)) - sentBefore;
    const result = { pairing, ...figures, transactions, ms: performance.now() - startedAt };
    onResult?.(result);
    return result;
  }

  async function countSent(senders: readonly Hex[]): Promise<number> {
    const counts = senders.map((from) =>
      devnet.rpc<Hex>("eth_getTransactionCount", [from, "latest"]),
    );
    return (await Promise.all(counts)).reduce((sum, count) => sum + Number(count), 0);
  }

  /** One after the other: those with a vault have one receiver. */
  async function playInTurn(some: readonly Pairing[]): Promise<PairingResult[]> {
    const results: PairingResult[] = [];
    for (const pairing of some) results.push(await play(pairing));
    return results;
  }

  const lines = atOnce
    ? [
        ...pairings.filter((one) => !one.hasVault).map((one) => [one]),
        pairings.filter((one) => one.hasVault),
      ]
    : [pairings];
  const results = (await Promise.all(lines.map(playInTurn))).flat();
  const ledger = await readChannelLedger(devnet, [...receivers]);
  return { results, violations: auditChannels(ledger, []) };
}
