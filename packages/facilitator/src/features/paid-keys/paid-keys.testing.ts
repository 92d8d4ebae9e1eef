/** Buying an API key over HTTP, for tests. */
import type { Devnet } from "@farthing/devnet";
import { encodeHeader } from "@farthing/protocol";
import { bodyOn, secondsFromNow } from "../../../test/support/facilitator.testing.ts";

/** Asks for the price, pays it, and presents the payment again; gives the statuses. */
export async function buyKey(
  { url }: { readonly url: string },
  devnet: Devnet,
): Promise<readonly number[]> {
  const authorization = {
    to: devnet.treasury.address,
    value: 1_000_000n,
    validBefore: secondsFromNow(300),
  };
  const header = encodeHeader(bodyOn(devnet, { authorization })["paymentPayload"]);
  const statuses: number[] = [];
  for (const headers of [{}, { "payment-signature": header }, { "payment-signature": header }]) {
    const { status } = await fetch(`${url}/v1/keys`, { method: "POST", headers });
    statuses.push(status);
  }
  return statuses;
}
