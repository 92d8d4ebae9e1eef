/** The facilitator of this version. */
export { x402Facilitator } from "@x402/core/facilitator";
export { toFacilitatorEvmSigner } from "@x402/evm";
export { registerExactEvmScheme } from "@x402/evm/exact/facilitator";
