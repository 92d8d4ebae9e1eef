/** What a repeat may know of a record, and the responses to calls of channels that it gets. */
import { defined } from "@farthing/protocol";
import type { PaymentRecords, Binding } from "./payment-records.ts";
import { isProven, openerOf } from "./proof.ts";
import type { PaymentRecord } from "./record-transitions.ts";
import type { PaymentRecordStore } from "./store.ts";
import { inTime } from "./waiting.ts";

interface KeptCallDeps {
  readonly store: PaymentRecordStore;
  /** Finds the record with exactly this binding. */
  readonly find: (binding: Binding) => Promise<PaymentRecord | undefined>;
  readonly keptMs: number;
  readonly maxKeptBytes: number;
  readonly replyMsMax: number | undefined;
}

export function createKeptCalls({
  store,
  find,
  keptMs,
  maxKeptBytes,
  replyMsMax,
}: KeptCallDeps): Pick<PaymentRecords, "has" | "isProven" | "recall" | "toKeep"> {
  return {
    has: async (binding) => (await find(binding)) !== undefined,
    async isProven(binding, { proof }) {
      const record = await find(binding);
      return record !== undefined && isProven(record.opener, proof);
    },
    async recall(binding, { proof }) {
      const found = await find(binding);
      // The voucher alone proves nothing: claimed ones are public. The record ends with its response.
      if (!found?.receipt || !isProven(found.opener, proof)) return undefined;
      const response = await inTime(store.getResponse(binding.key), replyMsMax);
      return response && { receipt: found.receipt, response };
    },
    toKeep({ key, fingerprint, payload }, { proof }, { receipt, response }) {
      const { token, authorization, cookie } = openerOf(proof);
      const isProvable = [token, authorization, cookie].some((shown) => shown !== undefined);
      if (!isProvable || response.body.byteLength > maxKeptBytes) return undefined;
      const opener = defined({ token, authorization, cookie });
      return { key, fingerprint, payload, opener, receipt, response, keptMs };
    },
  };
}
