/**
 * Whether a payment that would go through can be carried now: a wallet must be able to take work, the
 * queue must have room, and the payer must not be waiting for reverts of its contract wallet. Asked
 * by /verify, whose answer sellers serve by, and again by /settle.
 */
import { refusal, type Address, type ChainId, type Refusal } from "@farthing/protocol";
import { createBatcher } from "../base/batcher.ts";
import { timeText, type Clock } from "../base/clock.ts";
import { Fault } from "../base/fault.ts";
import type { PayerPause } from "../model/payer-pause.ts";
import type { Relayer } from "../relayer/relayer.ts";
import type { Store } from "../storage/store.ts";
import type { VerifiedPayment } from "../verification/verify.ts";

/** The caller: the lookup id of the API key and its account; null where no key was shown. */
export interface AdmissionCaller {
  readonly keyId: string | null;
  readonly account: Address | null;
}

/**
 * Returns the refusal of a payment whose payer waits. Throws the fault `no_wallet` or `queue_full`
 * when nothing can be carried.
 */
export type Admit = (
  verified: VerifiedPayment,
  caller: AdmissionCaller,
) => Promise<Refusal | undefined>;

/** Payers asked for in one statement, and those that may wait for one. */
const payersMax = 200;
const payersWaitingMax = 10_000;

/** Creates the check. */
export function createAdmission(deps: {
  readonly clock: Clock;
  readonly store: Pick<Store, "findPayerPauses">;
  networkOf(chainId: ChainId): { readonly relayer: Relayer } | undefined;
}): Admit {
  const pauseOf = createBatcher<{ chainId: ChainId; payer: Address }, PayerPause | undefined>({
    run: async (asked) => {
      const byChain = Map.groupBy(asked, ({ chainId }) => chainId);
      const found = new Map<object, PayerPause | undefined>();
      for (const [chainId, group] of byChain) {
        const payers = group.map(({ payer }) => payer);
        const pauses = await deps.store.findPayerPauses(chainId, payers);
        for (const [index, one] of group.entries()) found.set(one, pauses[index]);
      }
      return asked.map((one) => found.get(one));
    },
    itemsMax: payersMax,
    inFlightMax: 1,
    waitingMax: payersWaitingMax,
  });

  return async ({ payment, payerHasCode }, { keyId, account }) => {
    const { network, authorization } = payment;
    const { chainId } = network;
    const { from: payer, to: payTo } = authorization;
    const relayer = deps.networkOf(chainId)?.relayer;
    if (!relayer?.isAble()) {
      throw new Fault("no_wallet", "No relayer wallet can take work; try again shortly");
    }
    if (!relayer.hasRoom({ payer, payTo, keyId, account, payerHasCode })) throw queueFull();
    const pause = payerHasCode ? await pauseOf({ chainId, payer }) : undefined;
    if (!pause || pause.pausedUntilMs <= deps.clock.nowMs()) return undefined;
    const until = timeText(pause.pausedUntilMs);
    return refusal(
      "payer_paused",
      `Transactions of the contract wallet ${payer} reverted although their simulation passed; nothing is settled for it until ${until}. Pay from another address, or try again then.`,
    );
  };
}

/** The places for callers of this kind are taken. */
export function queueFull(): Fault {
  return new Fault("queue_full", "Too many settlements are waiting; try again shortly");
}
