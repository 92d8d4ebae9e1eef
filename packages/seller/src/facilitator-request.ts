/** The bodies of `/verify` and `/settle`. */
import type { JsonObject, RequirementsV1, RequirementsV2, WirePayment } from "@farthing/protocol";

/** Of a payment by the scheme `exact`. */
export interface FacilitatorRequest {
  readonly x402Version: 1 | 2;
  readonly paymentPayload: WirePayment;
  readonly paymentRequirements: RequirementsV1 | RequirementsV2;
}

/** Of a channel. */
export interface ChannelWireRequest {
  readonly x402Version: 2;
  readonly paymentPayload: {
    readonly x402Version: 2;
    readonly accepted: JsonObject;
    readonly payload: JsonObject;
  };
  readonly paymentRequirements: JsonObject & { readonly network: string; readonly amount: string };
}

export type AnyRequest = FacilitatorRequest | ChannelWireRequest;
