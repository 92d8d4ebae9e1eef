/**
 * How a purchase's authorization ended: unused, or used by the payer in a transaction of their own.
 * Known only when no block can carry the authorization any more.
 */
import { isSameAddress, type Address, type ChainId } from "@farthing/protocol";
import { purchaseNonce } from "./service.ts";
import {
  areEventsSeenElsewhere,
  type Chain,
  type ChainView,
  findAuthorizationEvent,
  isUnusedAt,
} from "@farthing/engine";
import { Fault } from "@farthing/engine/base";
import type { CreditPurchase } from "./model.ts";
import type { WorkerDeps } from "./worker.ts";

/** Blocks that a search goes back, eleven hours of XDC: a purchase lives one hour. */
const searchBlocks = 20_000;

/** Creates the question. */
export function createReadEnd(
  networkOf: (
    chainId: ChainId,
  ) => { readonly chain: Chain; view(): ChainView | undefined } | undefined,
): WorkerDeps["readEnd"] {
  return async (purchase, treasury) => {
    const { chainId, payer, expiresAt } = purchase;
    if (payer === null) return "unpaid";
    const network = networkOf(chainId);
    const view = network?.view();
    if (!network || !view || Number(view.finalized.time) * 1000 < expiresAt) return undefined;
    const { chain } = network;
    const wanted = { payer, nonce: purchaseNonce(purchase.id) };
    if (await isUnusedAt(chain, wanted, view.finalized.number)) return "unpaid";
    const headNumber = view.head.number;
    const fromBlock = Math.max(0, headNumber - searchBlocks);
    const event = await findAuthorizationEvent(chain, { ...wanted, fromBlock, headNumber });
    if (!event) throw new Fault("rpc_unavailable", "An authorization is used and has no log");
    if (!pays(event, purchase, treasury)) return "unpaid";
    if (event.blockNumber > view.finalized.number) return undefined;
    const { transaction, blockNumber, logIndex, blockHash } = event;
    const isSeen = await areEventsSeenElsewhere(chain, blockHash, [event], headNumber);
    if (isSeen === false) throw new Fault("rpc_unavailable", "RPC endpoints disagree");
    return { transaction, blockNumber, logIndex };
  };
}

function pays(
  event: NonNullable<Awaited<ReturnType<typeof findAuthorizationEvent>>>,
  { units }: CreditPurchase,
  treasury: Address | undefined,
): boolean {
  const { kind, transfer } = event;
  return (
    kind === "used" &&
    transfer !== undefined &&
    treasury !== undefined &&
    isSameAddress(transfer.to, treasury) &&
    transfer.value === units
  );
}
