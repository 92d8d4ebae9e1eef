/** Wallets of the browser: discovery (EIP-6963) and requests (EIP-1193). @packageDocumentation */
export * from "./announced-wallets.ts";
export * from "./provider.ts";
export * from "./switch-network.ts";
