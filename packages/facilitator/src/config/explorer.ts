/** The block explorer that links lead to: that of the network, unless the chain is a local one. */
import type { Network } from "@farthing/protocol";
import type { Secret } from "@farthing/engine/base";
import type { SettingName } from "./settings-table.ts";
import { httpUrl } from "./values.ts";

/** Returns the explorer's address without a slash at its end; undefined for none. */
export function readExplorer(
  read: <T>(name: SettingName, parse: (text: string) => T | undefined) => T | undefined,
  { chainId, explorerUrl }: Network,
  rpcUrls: readonly Secret[],
): string | undefined {
  const named = read(`FARTHING_EXPLORER_${chainId}`, (text) =>
    text === "none" ? text : httpUrl(text)?.expose().replace(/\/+$/, ""),
  );
  if (named !== undefined) return named === "none" ? undefined : named;
  // A local chain with Apothem's number is a devnet, which the public explorer does not know.
  const isLocal = rpcUrls.every((url) => isThisMachine(url.expose()));
  return chainId === 51 && isLocal ? undefined : explorerUrl;
}

function isThisMachine(url: string): boolean {
  const { hostname = "" } = URL.parse(url) ?? {};
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
