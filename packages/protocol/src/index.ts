/**
 * The x402 protocol for USDC on XDC: messages, networks, signatures' digest, refusals. Pure.
 * @packageDocumentation
 */
export * from "./account-api.ts";
export * from "./address.ts";
export * from "./authorization.ts";
export * from "./bazaar.ts";
export * from "./books.ts";
export * from "./bounded-output.ts";
export * from "./caller-network.ts";
export * from "./buyer-variables.ts";
export * from "./challenge.ts";
export * from "./contract-signature.ts";
export { csvCell } from "./csv-cell.ts";
export * from "./error-codes.ts";
export * from "./error-page.ts";
export * from "./facilitator-messages.ts";
export * from "./exposed-headers.ts";
export * from "./headers.ts";
export * from "./hex.ts";
export * from "./html.ts";
export * from "./json.ts";
export * from "./loopback.ts";
export { didYouMean } from "./nearest-names.ts";
export * from "./networks.ts";
export * from "./offer-receipt.ts";
export * from "./pass.ts";
export * from "./balance.ts";
export * from "./payment-identifier.ts";
export * from "./payment.ts";
export * from "./page.ts";
export * from "./prefers-html.ts";
export * from "./printable.ts";
export * from "./receipt.ts";
export * from "./refund.ts";
export * from "./refundable.ts";
export * from "./refusals.ts";
export * from "./request-binding.ts";
export * from "./requirements.ts";
export * from "./response-kinds.ts";
export * from "./serial-queue.ts";
export * from "./settlement-attestation.ts";
export * from "./sign-in.ts";
export * from "./shell-words.ts";
export * from "./signature.ts";
export * from "./trace-context.ts";
export * from "./usdc.ts";
