/** Names that payments are presented under, remembered by the store: tokens of challenges, identifiers. */
import { sha256OfText } from "../../sha256.ts";
import { minOverMs } from "../retention.ts";
import type { Binding, PaymentRecords } from "./payment-records.ts";
import type { PaymentRecordStore } from "./store.ts";
import { inTime } from "./waiting.ts";

/** Payments under one identifier within a day, each after the end of the one before. */
const maxPaymentsOfIdentifier = 8;

export function createRememberedNames({
  store,
  replyMsMax,
  now,
}: {
  readonly store: PaymentRecordStore;
  readonly replyMsMax: number | undefined;
  now(): number;
}): Pick<PaymentRecords, "isTokenShared" | "identify"> {
  async function isTokenShared(token: string, payer: string): Promise<boolean> {
    const known = await inTime(store.tokens.insert(token, payer), replyMsMax);
    if (known === undefined || known === payer) return false;
    if (known !== null) await inTime(store.tokens.share(token), replyMsMax);
    return true;
  }

  async function identify(
    identifier: string,
    { key, validBeforeMs }: Pick<Binding, "key" | "validBeforeMs">,
  ): Promise<boolean> {
    const payment = `${validBeforeMs} ${key}`;
    let name = identifier;
    for (let nth = 1; nth <= maxPaymentsOfIdentifier; nth++) {
      const known = await inTime(store.tokens.insert(name, payment), replyMsMax);
      if (known === undefined || known === payment) return true;
      if (known === null || (await isOpen(known))) return false;
      // That payment cannot be charged any more, so the identifier passes on to the next one.
      name = await sha256OfText(JSON.stringify([name, known]));
    }
    return false;
  }

  /** Whether a named payment can still be charged, or has a record. */
  async function isOpen(payment: string): Promise<boolean> {
    const [validBeforeMs = "", key = ""] = payment.split(" ");
    return (
      now() < Number(validBeforeMs) + minOverMs ||
      (await inTime(store.get(key), replyMsMax)) !== undefined
    );
  }

  return { isTokenShared, identify };
}
