/** Sends one message over a channel and reads its answer. */
import { headerNames } from "@farthing/protocol";
import type { ReplayableRequest } from "../replayable-request.ts";
import { backoffSeconds, type SendingTools } from "../send-payment.ts";
import type { ChannelAnswer } from "./read-channel-answer.ts";

export type SentVoucher =
  | { readonly response: Response; readonly answer: ChannelAnswer; readonly cause?: undefined }
  | { readonly response?: undefined; readonly answer?: undefined; readonly cause: unknown };

interface VoucherOrder {
  readonly header: string;
  readonly url: string;
  /** Does not consume the body. */
  readonly read: (response: Response) => ChannelAnswer;
}

/**
 * Never rejects. The same message is sent again only while the seller is busy with another one of the
 * channel: after a lost answer, the call may have been charged, and a repeat would be another call.
 */
export async function sendVoucher(
  tools: Pick<SendingTools, "fetch" | "runtime" | "answerTimeoutMs">,
  request: Pick<ReplayableRequest, "send" | "signal">,
  order: VoucherOrder,
): Promise<SentVoucher> {
  const { runtime } = tools;
  for (const waitSeconds of [...backoffSeconds, undefined]) {
    const sent = await sendOnce(tools, request, order);
    const isBusy = sent.response !== undefined && sent.answer.kind === "busy";
    if (!isBusy || waitSeconds === undefined) return sent;
    sent.response.body?.cancel().catch(() => {});
    try {
      await runtime.sleep(1000 * waitSeconds, request.signal);
    } catch (cause) {
      return { cause };
    }
  }
  throw new Error("The last send returns.");
}

async function sendOnce(
  { fetch, answerTimeoutMs }: Pick<SendingTools, "fetch" | "answerTimeoutMs">,
  request: Pick<ReplayableRequest, "send" | "signal">,
  { header, url, read }: VoucherOrder,
): Promise<SentVoucher> {
  const limit = new AbortController();
  const timer = setTimeout(
    () => limit.abort(new DOMException("The seller took too long to respond.", "TimeoutError")),
    answerTimeoutMs,
  );
  const signals = [limit.signal, ...(request.signal ? [request.signal] : [])];
  try {
    const response = await request.send(fetch, {
      header: [headerNames.paymentSignature, header],
      url,
      // A redirect would carry the voucher to an unchecked address.
      redirect: "manual",
      signal: AbortSignal.any(signals),
    });
    return { response, answer: read(response) };
  } catch (cause) {
    return { cause };
  } finally {
    clearTimeout(timer);
  }
}
