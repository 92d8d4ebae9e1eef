/** Refunds of a run: the seller gives payments back and signs again what has failed. */
import type { Devnet } from "@farthing/devnet";
import type { Clock } from "@farthing/facilitator";
import type { RefundableSale } from "@farthing/lab/audit";
import { signAuthorization } from "@farthing/lab/token-calls";
import {
  networkOfChain,
  refundNonce,
  toWireAuthorization,
  type JsonObject,
} from "@farthing/protocol";
import type { Callers } from "./callers.ts";
import type { PayerWallets } from "./payer-wallets.ts";
import type { Event } from "./plan.ts";

type RefundEvent = Extract<Event, { what: "refund" }>;

export interface Refunds {
  /** Signs a refund of all that a payment has paid, and presents it until it is accepted or paid. */
  give(event: RefundEvent): Promise<void>;
  /** The payments that were given back, as they are told last. */
  sales(): Promise<RefundableSale[]>;
}

/**
 * Blocks for which a refund is presented: its payment becomes final within a few, and so does the
 * transaction of a refund that has failed.
 */
const blocksMax = 20;

/** Signed again, an authorization must not expire before the earlier one. */
const validSeconds = 3_600;

export function createRefunds(deps: {
  readonly devnet: Devnet;
  readonly clock: Clock;
  readonly callers: Pick<Callers, "request" | "idOf">;
  readonly payerWallets: Pick<PayerWallets, "signed">;
  blocksLater(blocks: number): Promise<void>;
}): Refunds {
  const { devnet, clock, callers, payerWallets } = deps;
  const { chainId, seller } = devnet;
  const given = new Set<number>();

  function sign(payment: number) {
    const paid = payerWallets.signed.get(payment)?.authorization;
    if (!paid) throw new Error(`payment ${payment} comes before its refund`);
    const { from: payer, nonce, value } = paid;
    const now = BigInt(Math.floor(clock.nowMs() / 1000));
    const ofPayment = { chainId, asset: networkOfChain(chainId).usdc, payer, nonce };
    const authorization = {
      from: seller.address,
      to: payer,
      value,
      validAfter: paid.validAfter,
      validBefore: now + BigInt(validSeconds),
      nonce: refundNonce(ofPayment, 0),
    };
    return signAuthorization(chainId, authorization, seller.privateKey);
  }

  async function present(payment: number): Promise<JsonObject> {
    const { authorization, signature } = sign(payment);
    const settlementId = callers.idOf(payment) ?? "";
    const body = { settlementId, authorization: toWireAuthorization(authorization), signature };
    const question = { surface: "public", path: "/v1/refunds", body, prefer: "wait=4" } as const;
    return (await callers.request(payment, question)).body;
  }

  return {
    async give({ payment, until }) {
      given.add(payment);
      const ends = until === "accepted" ? ["pending", "confirmed"] : ["confirmed"];
      for (let block = 0; block < blocksMax; block++) {
        const { status } = await present(payment);
        if (ends.some((end) => end === status)) return;
        await deps.blocksLater(1);
      }
    },
    sales: () =>
      Promise.all(
        [...given].map(async (payment) => {
          const signed = payerWallets.signed.get(payment);
          if (!signed) throw new Error(`payment ${payment} was signed`);
          const path = `/settlements/${callers.idOf(payment) ?? ""}`;
          const { body } = await callers.request(payment, { surface: "public", path });
          return { payment, authorization: signed.authorization, told: body };
        }),
      ),
  };
}
