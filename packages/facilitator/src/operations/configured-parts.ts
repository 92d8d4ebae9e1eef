/** Parts of the engine that a command opens by itself, as the configuration describes them. */
import {
  type Chain,
  createChain,
  createRpcEndpoint,
  openSigners,
  type Signer,
} from "@farthing/engine";
import { misconfigured, silentLog, systemClock } from "@farthing/engine/base";
import type { Config, NetworkConfig } from "../config/config.ts";

/** Throws the fault `configuration` when there is none, and what a key service throws. */
export async function openConfiguredSigners({ wallets }: Config): Promise<readonly Signer[]> {
  if (wallets) return openSigners(wallets);
  throw misconfigured(
    "No relayer wallet is configured; set FARTHING_RELAYER_KEYS, FARTHING_RELAYER_MNEMONIC, FARTHING_RELAYER_KMS_KEYS or FARTHING_RELAYER_WEB3SIGNER_URL",
  );
}

/** Writes no log: a command reports its faults itself. */
export function openChain({ network, rpcUrls }: NetworkConfig): Chain {
  const endpoints = rpcUrls.map((url, index) => createRpcEndpoint({ url, index }));
  return createChain({ network, endpoints, log: silentLog, clock: systemClock });
}
