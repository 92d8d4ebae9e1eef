/** What the tests of every store of payment records use. */
import type { SettleResponse } from "@farthing/protocol";
import type {
  Access,
  Binding,
  PaymentRecords,
  Lease,
  Proof,
  StoredResponse,
} from "./payment-records.ts";

export const minuteMs = 60_000;
export const dayMs = 24 * 60 * minuteMs;
export const receipt: SettleResponse = {
  success: true,
  transaction: "0x1",
  network: "eip155:50",
  extra: { settlementId: "s_1" },
};
export const pending: SettleResponse = {
  ...receipt,
  success: false,
  errorReason: "settlement_pending",
};

export function response(bytes: number): StoredResponse {
  const body = Uint8Array.from({ length: bytes }, (_byte, at) => 255 - (at % 256));
  const headers = [
    ["content-type", "text/plain"],
    ["x-name", "café"],
  ] as const;
  return { status: 201, headers, body, reader: "r" };
}

export function binding(key: string, changes: Partial<Binding> = {}): Binding {
  return { key, fingerprint: "f", payload: "p", validBeforeMs: dayMs * 99, ...changes };
}

/** The request of the buyer who opens every record here. */
export const buyer: Access = { proof: { token: "t" }, rule: "bound" };

export const showing = (proof: Proof, rule: Access["rule"] = "bound"): Access => ({ proof, rule });

/** Takes the lease of a record; throws when the store gives none. */
export async function leaseOf(
  grants: PaymentRecords,
  taken: Binding,
  access: Access = buyer,
): Promise<Lease> {
  const acquired = await grants.acquire(taken, access);
  if (acquired.kind !== "acquired") throw new Error(`The record is ${acquired.kind}.`);
  return acquired.lease;
}
