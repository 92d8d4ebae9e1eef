/** Where the contracts of the scheme `batch-settlement` are: at one address on every chain (CREATE2). */
import type { Address } from "./address.ts";

/** Holds the deposits of payment channels. */
export const channelContract: Address = "0x4020074e9dF2ce1deE5A9C1b5c3f541D02a10003";

/** Takes deposits by ERC-3009 and passes them on. */
export const depositCollector: Address = "0x4020806089470a89826cB9fB1f4059150b550004";
