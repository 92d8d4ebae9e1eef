/** What the kit needs of this version, which was published without middleware for Express. */
export { HTTPFacilitatorClient, x402ResourceServer } from "@x402/core/server";
export { x402Client } from "@x402/core/client";
export { ExactEvmScheme as ExactEvmBuyer } from "@x402/evm";
export { ExactEvmScheme as ExactEvmSeller } from "@x402/evm/exact/server";
export { paymentMiddleware } from "@x402/hono";
export { wrapFetchWithPayment } from "@x402/fetch";
