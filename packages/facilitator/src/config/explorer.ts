/** The block explorer that links lead to: that of the network, unless the chain is a local one. */
import { explorerOf, type Network } from "@farthing/protocol";
import type { Secret } from "@farthing/engine/base";
import type { ReadSetting } from "./settings-table.ts";
import { httpUrl } from "./values.ts";

/** Returns the explorer's address without a slash at its end; undefined for none. */
export function readExplorer(
  read: ReadSetting,
  network: Network,
  rpcUrls: readonly Secret[],
): string | undefined {
  const named = read(`FARTHING_EXPLORER_${network.chainId}`, (text) =>
    text === "none" ? text : httpUrl(text)?.expose().replace(/\/+$/, ""),
  );
  if (named !== undefined) return named === "none" ? undefined : named;
  const hostnames = rpcUrls.map((url) => URL.parse(url.expose())?.hostname ?? "");
  return explorerOf(network, hostnames);
}
