/** What a matrix row needs of this version, so that each import resolves to this folder's packages. */
export { HTTPFacilitatorClient, x402ResourceServer } from "@x402/core/server";
export { x402Client } from "@x402/core/client";
export { ExactEvmScheme as ExactEvmBuyer } from "@x402/evm";
export { ExactEvmScheme as ExactEvmSeller } from "@x402/evm/exact/server";
export { paymentMiddleware } from "@x402/express";
export { wrapFetchWithPayment } from "@x402/fetch";
