/** The calls of the honest seller to its facilitator. */
import { setTimeout as pause } from "node:timers/promises";
import { isObject, parseJson, type JsonObject } from "@farthing/protocol";
import type { SellerFault } from "./faults.testing.ts";

/** The facilitator has not answered as one. */
export class FacilitatorError extends Error {
  /** The case that looks for a buyer who is blamed for it. */
  readonly fault: SellerFault;

  constructor(fault: SellerFault) {
    super(fault);
    this.fault = fault;
  }
}

const settlesMax = 5;
const againMs = 100;

/** Creates the client. */
export function createSellerClient(url: string, fault: SellerFault | undefined) {
  async function call(name: string, paymentPayload: JsonObject, paymentRequirements: JsonObject) {
    const body = JSON.stringify({ x402Version: 2, paymentPayload, paymentRequirements });
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${url}/${name}`, { method: "POST", headers, body }).catch(() => {
      throw new FacilitatorError("verify-cut");
    });
    if (response.status === 403) throw new FacilitatorError("verify-forbidden");
    if (response.status !== 200) {
      throw new FacilitatorError(name === "verify" ? "verify-unavailable" : "settle-unavailable");
    }
    const read = parseJson(await response.text())?.value;
    if (!isObject(read)) throw new FacilitatorError("verify-truncated");
    return read;
  }

  return {
    verify: (payment: JsonObject, terms: JsonObject) => call("verify", payment, terms),
    /** Asks until the outcome is known. */
    async settle(payment: JsonObject, terms: JsonObject): Promise<JsonObject> {
      for (let asked = 1; ; asked++) {
        try {
          const settled = await call("settle", payment, terms);
          const isPending = settled["errorReason"] === "settlement_pending";
          if (!isPending || fault === "settlement-pending") return settled;
        } catch (error) {
          const isLost = error instanceof FacilitatorError && error.fault === "verify-cut";
          if (fault === "settle-answer-lost" && isLost) {
            return { success: false, errorReason: "unknown" };
          }
          if (asked === settlesMax) throw error;
        }
        await pause(againMs);
      }
    },
  };
}
