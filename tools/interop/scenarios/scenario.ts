/** What scenarios share: payments as headers, and what came back for them. */
import type { DevnetWallet } from "@farthing/devnet";
import { stockClient } from "../matrix.ts";
import { readChallenge } from "../stock-sellers.ts";

/** What a scenario counted, by what it is. */
export type Figures = Readonly<Record<string, string | number>>;

/** One attack, played over HTTP. */
export interface Scenario {
  /** The finding that it plays, and what is wanted. */
  readonly about: string;
  run(): Promise<Figures>;
}

/** A payment header, ready to send. */
export type Header = Readonly<Record<string, string>>;

/** Writes a payment as a header. */
export const headerOf = (payment: object): Header => ({
  "PAYMENT-SIGNATURE": Buffer.from(JSON.stringify(payment)).toString("base64"),
});

/** A payment for a URL, signed by the stock client and not sent. */
export async function signStockPayment(url: string, buyer: DevnetWallet): Promise<Header> {
  const client = await stockClient("2.27", buyer);
  return headerOf(await client.createPaymentPayload(await readChallenge(url)));
}

/** Sends a payment; the response is read to its end and its text kept. */
export async function send(url: string, headers: Header) {
  const response = await fetch(url, { headers, redirect: "manual" });
  const text = await response.text();
  return { status: response.status, location: response.headers.get("Location"), text };
}

/** Whether a response has the shop's report. */
export const hasReport = ({ status, text }: { readonly status: number; readonly text: string }) =>
  status === 200 && text.includes('"report"');

/** Runs a task so many times, at most so many at once. */
export async function times<T>(
  count: number,
  atOnceMax: number,
  task: (index: number) => Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const work = async () => {
    for (let index = next++; index < count; index = next++) results[index] = await task(index);
  };
  await Promise.all(Array.from({ length: Math.min(count, atOnceMax) }, work));
  return results;
}
