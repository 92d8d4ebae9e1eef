/** Wallets of the browser, for pages: who is there (EIP-6963), and how they are asked (EIP-1193). */
export * from "./accounts.ts";
export * from "./announced-wallets.ts";
export * from "./provider.ts";
export * from "./switch-network.ts";
