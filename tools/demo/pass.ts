/** A pass in the demo: one payment, and requests that its token opens without another one. */
import { privateKeySigner, wrapFetch } from "@farthing/buyer";
import type { Address } from "@farthing/protocol";
import type { DemoEnvironment } from "./environment.ts";
import { passUses } from "./paid-api.ts";
import { watchFetch, watchWallet, type StepListener } from "./watch-payment.ts";

/** A pass that was bought and used up, as the demo reports it. */
export interface UsedPass {
  readonly url: string;
  readonly payer: Address;
  readonly transaction: string;
  /** Uses that were left after each request; the first one paid. */
  readonly remaining: readonly number[];
}

/** One block for the payment; the requests after it take milliseconds. */
const passMs = 30_000;

/** Buys a pass and uses it up. Throws when a request was not opened, or another one paid. */
export async function usePass(
  { devnet, paidApi }: DemoEnvironment,
  report: StepListener,
  stopped: AbortSignal,
): Promise<UsedPass> {
  const [buyer] = devnet.buyers;
  if (!buyer) throw new Error("The local chain has no buyer");
  const signer = watchWallet(privateKeySigner(buyer.privateKey), report);
  const buy = wrapFetch(watchFetch(report), { signer, rpcUrl: "none" });
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(passMs)]);
  const remaining: number[] = [];
  let transaction = "";
  for (let nth = 0; nth < passUses; nth++) {
    const response = await buy(paidApi.passUrl, { signal });
    const { payment } = response;
    const isAsPlanned = payment.state === (nth === 0 ? "settled" : "not_required");
    if (response.status !== 200 || !isAsPlanned) {
      throw new Error(`Request ${nth + 1} with a pass got HTTP ${response.status}`);
    }
    if ("transaction" in payment) transaction = payment.transaction ?? "";
    const left = Number(response.headers.get("X-Pass-Remaining"));
    remaining.push(left);
    report({ name: "content", text: `${response.status}, uses left: ${left}` });
    await response.text();
  }
  return { url: paidApi.passUrl, payer: buyer.address, transaction, remaining };
}
