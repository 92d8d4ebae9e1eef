/** Two shops with one payTo at two facilitators (S8): one payment is sent to both. */
import { privateKeySigner, wrapFetch } from "@farthing/buyer";
import type { DevnetWallet } from "@farthing/devnet";
import { startDeployment, type Deployment } from "../deployment.ts";
import { openShop, type OwnSeller, type ShopChanges } from "../own-sellers.ts";
import { set, type Json } from "../differential/requests.ts";
import {
  hasReport,
  headerOf,
  send,
  signStockPayment,
  type Header,
  type Scenario,
} from "./scenario.ts";

const payments = 5;

/** A payment that our own buyer signs for a URL; it is kept from being sent. */
async function signOwnPayment(url: string, { privateKey }: DevnetWallet): Promise<Header> {
  let header: Header = {};
  const keep: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const payment = request.headers.get("PAYMENT-SIGNATURE");
    if (payment === null) return fetch(request);
    header = { "PAYMENT-SIGNATURE": payment };
    return Response.json({ report: 0 });
  };
  await wrapFetch(keep, { signer: privateKeySigner(privateKey) })(url);
  return header;
}

/** The same payment for the other shop: what is not signed says what that shop wants to read. */
function rewrite(header: Header, url: string, keepsBinding: boolean): Header {
  const text = Buffer.from(header["PAYMENT-SIGNATURE"] ?? "", "base64").toString();
  const payment: Json = JSON.parse(text);
  set({ paymentPayload: payment, paymentRequirements: {} }, "payment.resource", { url });
  if (!keepsBinding) delete payment["extensions"];
  return headerOf(payment);
}

interface Attack {
  readonly changes?: ShopChanges;
  readonly sign: (url: string, buyer: DevnetWallet) => Promise<Header>;
  /** Whether the second shop is sent the extensions of the first one's payment. */
  readonly keepsBinding?: boolean;
}

async function countContents(
  deployment: Deployment,
  { changes = {}, sign, keepsBinding = false }: Attack,
): Promise<number> {
  const buyer = deployment.newBuyer();
  const one: OwnSeller = await openShop(deployment, "hosted", changes);
  const two: OwnSeller = await openShop(deployment, "self-built", changes);
  let contents = 0;
  for (let paid = 0; paid < payments; paid++) {
    const header = await sign(one.url, buyer);
    const other = rewrite(header, two.url, keepsBinding);
    // At once: a payment that is on chain is refused by the other facilitator.
    const responses = await Promise.all([send(one.url, header), send(two.url, other)]);
    contents += responses.filter(hasReport).length;
  }
  await one.close();
  await two.close();
  return contents;
}

/** The scenario. */
export const twoFacilitators: Scenario = {
  about: "S8: a bound payment opens one content; requireBinding refuses the others",
  async run() {
    const deployment = await startDeployment({ buyers: 4, selfBuilt: true });
    const strict: ShopChanges = { requireBinding: true };
    const attacks: Readonly<Record<string, Attack>> = {
      "contents for stock payments": { sign: signStockPayment },
      "contents for our buyer's payments, binding shown": {
        sign: signOwnPayment,
        keepsBinding: true,
      },
      "contents for our buyer's payments, binding removed": { sign: signOwnPayment },
      "the same at shops that require a binding": { sign: signOwnPayment, changes: strict },
    };
    try {
      const figures: Record<string, number> = { payments };
      for (const [what, attack] of Object.entries(attacks)) {
        figures[what] = await countContents(deployment, attack);
      }
      return figures;
    } finally {
      await deployment.stop();
    }
  },
};
