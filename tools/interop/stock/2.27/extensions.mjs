/** The extensions of this version, for both sides. */
export * from "@x402/extensions";
