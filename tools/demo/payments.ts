/** The four payments of the demo: payer, client library and surface of each. */
import { contractWalletSigner, privateKeySigner, wrapFetch, type Signer } from "@farthing/buyer";
import { readReceipt, type Address, type SettleResponse } from "@farthing/protocol";
import { ExactEvmScheme } from "@x402/evm";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { privateKeyToAccount } from "viem/accounts";
import type { DemoEnvironment } from "./environment.ts";
import { watchFetch, watchWallet, type StepListener } from "./watch-payment.ts";

/** A payment that can be made. */
export interface PlannedPayment {
  readonly title: string;
  readonly version: 1 | 2;
  readonly face: "public" | "hosted";
  readonly payer: Address;
  readonly url: string;
  /** Requests and pays; returns the response to the paid request. */
  pay(signal: AbortSignal, report: StepListener): Promise<Response>;
}

/** A payment that was made, as the demo reports it. */
export interface MadePayment {
  readonly title: string;
  readonly version: 1 | 2;
  readonly face: "public" | "hosted";
  readonly url: string;
  readonly payer: Address;
  readonly transaction: string;
  readonly status: number;
  readonly content: unknown;
  readonly milliseconds: number;
  /** From the response's header. */
  readonly receipt: SettleResponse;
}

/** A payment takes one block; one that takes more than ten has failed. */
const paymentMs = 30_000;

/** Plans the payments. */
export function planPayments({ devnet, network, paidApi }: DemoEnvironment): PlannedPayment[] {
  const [buyer] = devnet.buyers;
  if (!buyer) throw new Error("The local chain has no buyer");
  const { publicUrl, hostedUrl } = paidApi;
  const own = privateKeySigner(buyer.privateKey);
  const account = privateKeyToAccount(buyer.privateKey);
  const { address: wallet, owner } = devnet.smartWallet;
  const byContract = contractWalletSigner(wallet, privateKeySigner(owner.privateKey));
  return [
    {
      title: "x402 version 1, our buyer, through the hosted facilitator (no key)",
      version: 1,
      face: "hosted",
      payer: buyer.address,
      url: hostedUrl,
      pay: (signal, report) => payOurs(own, "v1", hostedUrl, signal, report),
    },
    {
      title: "x402 version 2, our buyer, through the public facilitator (API key)",
      version: 2,
      face: "public",
      payer: buyer.address,
      url: publicUrl,
      pay: (signal, report) => payOurs(own, "v2", publicUrl, signal, report),
    },
    {
      title: "x402 version 2, stock @x402/fetch, through the public facilitator",
      version: 2,
      face: "public",
      payer: buyer.address,
      url: publicUrl,
      pay: (signal, report) => {
        const scheme = new ExactEvmScheme(watchWallet(account, report));
        const client = new x402Client().register(network.id, scheme);
        return wrapFetchWithPayment(watchFetch(report), client)(publicUrl, { signal });
      },
    },
    {
      title: "x402 version 2, a contract wallet (ERC-1271), through the public facilitator",
      version: 2,
      face: "public",
      payer: wallet,
      url: publicUrl,
      pay: (signal, report) => payOurs(byContract, "v2", publicUrl, signal, report),
    },
  ];
}

function payOurs(
  signer: Signer,
  prefer: "v1" | "v2",
  url: string,
  signal: AbortSignal,
  report: StepListener,
): Promise<Response> {
  const buy = wrapFetch(watchFetch(report), {
    signer: watchWallet(signer, report),
    prefer,
    // The payers have money, and the demo leaves this machine alone.
    rpcUrl: "none",
  });
  return buy(url, { signal });
}

/** Makes a payment. Throws when it did not bring its content and a receipt of success. */
export async function makePayment(
  planned: PlannedPayment,
  report: StepListener,
  stopped: AbortSignal,
): Promise<MadePayment> {
  const { title, version, face, url, payer } = planned;
  const startedAt = performance.now();
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(paymentMs)]);
  const response = await planned.pay(signal, report);
  const text = await response.text();
  const receipt = readReceipt(response.headers);
  if (response.status !== 200 || receipt?.success !== true) {
    const why = receipt?.errorReason ?? text.slice(0, 300);
    throw new Error(`"${title}" got HTTP ${response.status}: ${why}`);
  }
  const { status } = response;
  report({ name: "content", text: `${status} ${text}` });
  const milliseconds = Math.round(performance.now() - startedAt);
  const content: unknown = JSON.parse(text);
  const { transaction } = receipt;
  return {
    title,
    version,
    face,
    url,
    payer,
    transaction,
    status,
    content,
    milliseconds,
    receipt,
  };
}
