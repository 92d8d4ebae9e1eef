/** The x402 protocol for USDC on XDC: messages, networks, signatures' digest, refusals. Pure. */
export * from "./address.ts";
export * from "./authorization.ts";
export * from "./challenge.ts";
export * from "./error-codes.ts";
export * from "./facilitator-messages.ts";
export * from "./headers.ts";
export * from "./hex.ts";
export * from "./json.ts";
export * from "./networks.ts";
export * from "./payment.ts";
export * from "./receipt.ts";
export * from "./refusals.ts";
export * from "./requirements.ts";
export * from "./usdc.ts";
