/**
 * Screening: payments whose payer or payee the operator does not serve are refused, by a list and by
 * a service of the operator's.
 */
import { isObject, member, parseJson, refusal, type Payment } from "@farthing/protocol";
import type { Screen } from "@farthing/engine";
import { Fault, readText, warning, type Runtime, type Secret } from "@farthing/engine/base";
import type { DenyList } from "./deny-list.ts";

export interface ScreeningTerms extends Runtime {
  readonly denyList: DenyList | undefined;
  /** Undefined if no service is asked. */
  readonly screeningUrl: Secret | undefined;
  /** What happens to payments while the service does not respond. */
  readonly screeningFailure: "refuse" | "serve";
}

/** Returns undefined where nothing is screened. */
export function createScreening(terms: ScreeningTerms): Screen | undefined {
  const { denyList, screeningUrl } = terms;
  if (!denyList && !screeningUrl) return undefined;
  const isAllowed = screeningUrl && askService(screeningUrl, terms);
  return async (payment) => {
    const { from, to } = payment.authorization;
    const isListed = [from, to].some((address) => denyList?.has(address));
    const isServed = !isListed && (isAllowed === undefined || (await isAllowed(payment)));
    return isServed ? undefined : refusal("address_not_served");
  };
}

/** A payment waits for the service, and sellers give up after some 20 seconds. */
const timeoutMs = 2_500;

/** `{"allowed":false}` with room for an explanation, which is not read. */
const maxResponseBytes = 4_096;

/** `/verify` and the `/settle` that follows ask once. */
const rememberedMs = 60_000;
const maxRemembered = 10_000;

function askService(url: Secret, { screeningFailure, clock, log }: ScreeningTerms) {
  /** In the order in which they were asked. */
  const results = new Map<string, { readonly isAllowed: boolean; readonly untilMs: number }>();

  function remember(key: string, isAllowed: boolean): boolean {
    results.delete(key);
    const [oldest] = results.keys();
    if (results.size >= maxRemembered && oldest !== undefined) results.delete(oldest);
    results.set(key, { isAllowed, untilMs: clock.nowMs() + rememberedMs });
    return isAllowed;
  }

  return async ({ network, authorization }: Payment): Promise<boolean> => {
    const { from: payer, to: payTo, value } = authorization;
    const key = `${network.chainId} ${payer} ${payTo}`;
    const known = results.get(key);
    if (known && known.untilMs > clock.nowMs()) return known.isAllowed;
    const question = { payer, payTo, network: network.id, asset: network.usdc };
    const [deadline, done] = [new AbortController(), new AbortController()];
    void clock.sleep(timeoutMs, done.signal).then(() => deadline.abort());
    try {
      const asked = { ...question, amount: value.toString() };
      return remember(key, await ask(url, asked, deadline.signal));
    } catch (error) {
      const fields = { event: "screening_failed", payer, payTo, payments: screeningFailure };
      warning(log, fields, "Screening service did not respond")(error);
      if (screeningFailure === "serve") return true;
      const message = "The screening service did not respond";
      throw new Fault("screening_unavailable", message, { retryable: true, cause: error });
    } finally {
      done.abort();
    }
  };
}

/** Throws on anything but `{"allowed": true | false}`. Errors never hold the URL. */
async function ask(url: Secret, question: object, signal: AbortSignal): Promise<boolean> {
  const response = await fetch(url.expose(), {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(question),
    redirect: "manual",
    signal,
  });
  const text = await readText(response, maxResponseBytes);
  if (text === undefined) throw new Error(`It responded with more than ${maxResponseBytes} bytes.`);
  const body = response.status === 200 ? parseJson(text)?.value : undefined;
  const allowed = isObject(body) ? member(body, "allowed") : undefined;
  if (typeof allowed === "boolean") return allowed;
  throw new Error(`It responded ${response.status} without {"allowed": true or false}.`);
}
