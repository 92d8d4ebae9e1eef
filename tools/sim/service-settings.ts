import type { Devnet } from "@farthing/devnet";

/** What every simulated service has: its chain, wallets and database, and no limits of callers. */
export function serviceSettings(
  { chainId, relayers }: Pick<Devnet, "chainId" | "relayers">,
  rpcUrls: string,
  databaseUrl: string,
): Record<string, string> {
  return {
    [`FARTHING_RPC_${chainId}`]: rpcUrls,
    FARTHING_RELAYER_KEYS: relayers.map(({ privateKey }) => privateKey).join(","),
    DATABASE_URL: databaseUrl,
    FARTHING_RATE_LIMIT: "0",
    FARTHING_MIN_AMOUNT: "0",
    FARTHING_PAYER_CAP: "0",
    FARTHING_PAYER_COUNT: "0",
  };
}
