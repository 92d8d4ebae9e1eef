/**
 * The wallets of this browser. They announce themselves (EIP-6963); where none does, an older one
 * may have put itself at `window.ethereum`. All that they say of themselves is shown as text or as
 * the source of an image, never as markup.
 */
import { isObject } from "@farthing/protocol";
import type { Provider } from "./provider.ts";

/** A wallet that can be asked. */
export interface Wallet {
  readonly id: string;
  readonly name: string;
  /** A `data:` address, or empty. */
  readonly icon: string;
  /** Its own name in reverse domain form: the same tomorrow, where the id is not. */
  readonly rdns: string;
  readonly provider: Provider;
}

/** More are no wallets but a page that plays tricks. */
const walletsMax = 30;
const nameCharactersMax = 40;

/** How long wallets get to announce themselves before an old one is looked for. */
const graceMs = 250;

const announced = new Map<string, Wallet>();
let wallets: readonly Wallet[] = [];
let isLookedFor = false;
const listeners = new Set<() => void>();

function isProvider(value: unknown): value is Provider {
  return isObject(value) && typeof value["request"] === "function";
}

/** The wallet in an announcement; undefined when it is malformed. */
export function readAnnouncement(detail: unknown): Wallet | undefined {
  if (!isObject(detail) || !isObject(detail["info"])) return undefined;
  const { uuid, name, icon, rdns } = detail["info"];
  const provider = detail["provider"];
  if (!isProvider(provider) || typeof uuid !== "string" || typeof name !== "string") {
    return undefined;
  }
  return {
    id: uuid,
    name: name.trim().slice(0, nameCharactersMax) || "Unnamed wallet",
    icon: typeof icon === "string" && /^data:image\//i.test(icon) ? icon : "",
    rdns: typeof rdns === "string" ? rdns : "",
    provider,
  };
}

function readOld(): Wallet | undefined {
  const found: unknown = Reflect.get(globalThis, "ethereum");
  return isProvider(found)
    ? { id: "window.ethereum", name: "Browser wallet", icon: "", rdns: "", provider: found }
    : undefined;
}

function publish(): void {
  const old = isLookedFor && announced.size === 0 ? readOld() : undefined;
  wallets = old ? [old] : [...announced.values()];
  for (const listener of listeners) listener();
}

/** Begins to listen; once, before anything is shown. */
export function lookForWallets(): void {
  addEventListener("eip6963:announceProvider", (event) => {
    const wallet = readAnnouncement("detail" in event ? event.detail : undefined);
    // The first announcement of an id stays. Listeners draw buttons anew, and a click on a button
    // that is being replaced is lost.
    if (!wallet || announced.has(wallet.id) || announced.size >= walletsMax) return;
    announced.set(wallet.id, wallet);
    publish();
  });
  addEventListener("ethereum#initialized", publish);
  dispatchEvent(new Event("eip6963:requestProvider"));
  setTimeout(() => {
    isLookedFor = true;
    // Wallets that are shown already stay as they are.
    if (wallets.length === 0) publish();
  }, graceMs);
}

/** Calls back whenever the wallets change. Returns a stop function. */
export function watchWallets(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The wallets known so far. */
export const findWallets = () => wallets;

/** The wallets known so far; undefined while the first have not had time to show themselves. */
export const findWalletsInTime = () => (wallets.length > 0 || isLookedFor ? wallets : undefined);
