import type { Devnet } from "@farthing/devnet";

/**
 * What every simulated service has: its chain, wallets and database, and no limits of callers. `keys`:
 * where the keys of the wallets are, if the service does not have them itself.
 */
export function serviceSettings(
  { chainId, relayers }: Pick<Devnet, "chainId" | "relayers">,
  rpcUrls: string,
  databaseUrl: string,
  keys: Readonly<Record<string, string>> = {
    FARTHING_RELAYER_KEYS: relayers.map(({ privateKey }) => privateKey).join(","),
  },
): Record<string, string> {
  return {
    [`FARTHING_RPC_${chainId}`]: rpcUrls,
    ...keys,
    DATABASE_URL: databaseUrl,
    FARTHING_RATE_LIMIT: "0",
    FARTHING_MIN_AMOUNT: "0",
    FARTHING_PAYER_CAP: "0",
    FARTHING_PAYER_COUNT: "0",
  };
}
