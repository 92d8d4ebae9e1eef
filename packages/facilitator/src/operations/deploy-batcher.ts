/** Deploys the batch contract on a network of the configuration, with one of its relayer wallets. */
import { type BatcherDeployment, ceilingOf, deployBatcher as deploy } from "@farthing/engine";
import { misconfigured, silentLog, systemClock } from "@farthing/engine/base";
import { readConfig, type ConfigSource } from "../config/config.ts";
import { openStore } from "../features/open-store.ts";
import { openChain, openConfiguredSigners } from "./configured-parts.ts";

/** `network` is a name such as `eip155:51`. Throws the fault `configuration`, and RPC faults. */
export async function deployBatcher(
  network: string,
  source: ConfigSource = {},
): Promise<BatcherDeployment> {
  const config = readConfig(source);
  const chosen = config.networks.find((one) => one.network.id === network);
  if (!chosen) throw misconfigured(`${network} is not configured; name it in FARTHING_NETWORKS`);
  const signers = await openConfiguredSigners(config);
  const store = await openStore(config.databaseUrl);
  try {
    return await deploy({
      chain: openChain(chosen),
      store,
      clock: systemClock,
      log: silentLog,
      signers,
      isLocal: config.databaseUrl.startsWith("sqlite:"),
      gasPriceCeiling: ceilingOf(config),
      configured: chosen.batcher,
    });
  } finally {
    await store.close();
  }
}
