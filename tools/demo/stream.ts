/** A metered stream in the demo: one payment tops up a balance, and each stream is charged its events. */
import { privateKeySigner, wrapFetch } from "@farthing/buyer";
import {
  balanceHeaders,
  formatUsdc,
  parseUsdc,
  passHeaders,
  type Address,
} from "@farthing/protocol";
import type { DemoEnvironment } from "./environment.ts";
import { eventPriceUnits, price } from "./paid-api.ts";
import { watchFetch, watchWallet, type StepListener } from "./watch-payment.ts";

/** A stream that was read to its end, as the demo reports it. Amounts are digits of base units. */
export interface ReadStream {
  readonly events: number;
  readonly charged: string;
  /** What the balance has after it. */
  readonly left: string;
}

/** A balance and what it paid for, as the demo reports it. */
export interface UsedBalance {
  readonly url: string;
  readonly payer: Address;
  readonly transaction: string;
  readonly toppedUp: string;
  /** The first one paid. */
  readonly streams: readonly ReadStream[];
}

/** One block for the payment; the streams take milliseconds. */
const streamMs = 30_000;

/** Different ones, so that different costs are seen. */
const eventsOf = [5, 2] as const;

/** Reads two streams. Throws when one was not charged what it used, or the second one paid. */
export async function readStreams(
  { devnet, paidApi }: DemoEnvironment,
  report: StepListener,
  stopped: AbortSignal,
): Promise<UsedBalance> {
  const [buyer] = devnet.buyers;
  if (!buyer) throw new Error("The local chain has no buyer");
  const signer = watchWallet(privateKeySigner(buyer.privateKey), report);
  const buy = wrapFetch(watchFetch(report), { signer, rpcUrl: "none" });
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(streamMs)]);
  const streams: ReadStream[] = [];
  const toppedUp = parseUsdc(price) ?? 0n;
  let left = toppedUp;
  let transaction = "";
  let token = "";
  for (const asked of eventsOf) {
    const response = await buy(`${paidApi.streamUrl}?events=${asked}`, { signal });
    const { payment } = response;
    const isFirst = streams.length === 0;
    if (response.status !== 200 || payment.state !== (isFirst ? "settled" : "not_required")) {
      throw new Error(`The stream of ${asked} events got HTTP ${response.status}`);
    }
    if (payment.state === "settled") {
      transaction = payment.transaction ?? "";
      token = response.headers.get(passHeaders.token) ?? "";
    }
    const events = (await response.text()).split("\n\n").length - 1;
    const before = left;
    left = await readLeft(paidApi.leftUrl, token, signal);
    const charged = before - left;
    if (events !== asked || charged !== BigInt(events) * eventPriceUnits) {
      throw new Error(`A stream of ${events} events was charged ${charged} base units`);
    }
    const text = `${events} events, charged ${formatUsdc(charged)}, left ${formatUsdc(left)} USDC`;
    report({ name: "content", text: `${response.status} ${text}` });
    streams.push({ events, charged: `${charged}`, left: `${left}` });
  }
  const { address: payer } = buyer;
  return { url: paidApi.streamUrl, payer, transaction, toppedUp: `${toppedUp}`, streams };
}

/** Asks what a balance has. The headers of a stream cannot tell, because it costs more after them. */
async function readLeft(url: string, token: string, signal: AbortSignal): Promise<bigint> {
  const response = await fetch(url, { headers: { [passHeaders.token]: token }, signal });
  const left = response.headers.get(balanceHeaders.remaining);
  await response.text();
  if (response.status !== 200 || left === null) {
    throw new Error(`The question what is left got HTTP ${response.status}`);
  }
  return BigInt(left);
}
