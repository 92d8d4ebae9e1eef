/**
 * The network that the whole dashboard shows: live and test money are never one list or sum. The
 * choice lasts in this browser; a link that names a network takes precedence and becomes the choice.
 */
import { useEffect, useSyncExternalStore } from "react";
import type { ServedNetwork } from "@farthing/facilitator/api";
import { go, useLocation, withSearch } from "./location.ts";
import { useAccount } from "./signed-in.ts";

const mainnet = 50;
const storedAs = "farthing:network";
const changed = "farthing:network-changed";

let current = readStored();

/** Browsers may refuse storage; the choice then lasts as long as the page. */
function readStored(): string | null {
  try {
    return localStorage.getItem(storedAs);
  } catch {
    return null;
  }
}

function store(id: string): void {
  current = id;
  try {
    localStorage.setItem(storedAs, id);
  } catch {
    // See readStored.
  }
  dispatchEvent(new Event(changed));
}

function subscribe(notify: () => void): () => void {
  const read = () => {
    current = readStored() ?? current;
    notify();
  };
  addEventListener(changed, notify);
  // Another tab.
  addEventListener("storage", read);
  return () => {
    removeEventListener(changed, notify);
    removeEventListener("storage", read);
  };
}

export function isLive({ chainId }: Pick<ServedNetwork, "chainId">): boolean {
  return chainId === mainnet;
}

/** The network that is shown; undefined where the facilitator serves none. */
export function useNetwork(): ServedNetwork | undefined {
  const { networks } = useAccount();
  const { search } = useLocation();
  const stored = useSyncExternalStore(subscribe, () => current);
  const asked = new URLSearchParams(search).get("network");
  return (
    networks.find(({ id }) => id === asked) ??
    networks.find(({ id }) => id === stored) ??
    networks.find(isLive) ??
    networks[0]
  );
}

/** Keeps the network that a link names for the next screens. */
export function useNetworkOfLink(): void {
  const { search } = useLocation();
  const { networks } = useAccount();
  const asked = new URLSearchParams(search).get("network");
  const known = networks.find(({ id }) => id === asked)?.id;
  useEffect(() => {
    if (known !== undefined) store(known);
  }, [known]);
}

/** Shows another network, on this screen from its beginning. */
export function chooseNetwork(id: string, { path, search }: ReturnType<typeof useLocation>): void {
  const { network: asked, cursor: _, ...others } = Object.fromEntries(new URLSearchParams(search));
  store(id);
  const network = asked === undefined ? undefined : id;
  go(withSearch(path, { ...others, network }), { replace: true });
}
