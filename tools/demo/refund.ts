/** A refund in the demo: the seller signs, and the facilitator pays the gas of the way back too. */
import { privateKeySigner } from "@farthing/buyer";
import { formatUsdc, type Address } from "@farthing/protocol";
import { createSeller } from "@farthing/seller";
import type { DemoEnvironment } from "./environment.ts";
import type { MadePayment } from "./payments.ts";
import { shorten, watchWallet, type StepListener } from "./watch-payment.ts";

/** A refund that was made, as the demo reports it. */
export interface MadeRefund {
  /** The transaction of the payment that was refunded. */
  readonly payment: string;
  readonly payer: Address;
  readonly transaction: string;
  /** USDC base units as decimal digits. */
  readonly amount: string;
}

/** A payment is final three blocks after its own; one that takes ten more has failed. */
const finalMs = 30_000;

/** Returns all the money of a payment. Throws when the refund is not confirmed. */
export async function refundPayment(
  { devnet, network, facilitatorUrl, apiKey }: DemoEnvironment,
  { receipt, payer, transaction: payment }: MadePayment,
  report: StepListener,
  stopped: AbortSignal,
): Promise<MadeRefund> {
  const seller = createSeller({
    facilitator: { url: facilitatorUrl, apiKey },
    payTo: devnet.seller.address,
    network: network.id,
    refundSigner: watchWallet(privateKeySigner(devnet.seller.privateKey), report),
  });
  const refunding = seller.refund(receipt.id ?? "", undefined, { waitMs: finalMs });
  const made = await Promise.race([refunding, rejectOnce(stopped)]);
  if (made.kind !== "refund" || made.status !== "confirmed") {
    const why = "code" in made ? made.code : made.kind;
    throw new Error(`The refund of ${payment} is not confirmed: ${why}`);
  }
  const { transaction, amount } = made;
  report({ name: "refunded", text: `${formatUsdc(BigInt(amount))} USDC, to ${shorten(payer)}` });
  report({ name: "settled", text: "transaction", hash: transaction });
  return { payment, payer, transaction, amount };
}

/** Rejects when the demo is told to stop. */
function rejectOnce(stopped: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = (): void => reject(new Error("The demo was stopped"));
    if (stopped.aborted) stop();
    else stopped.addEventListener("abort", stop, { once: true });
  });
}
