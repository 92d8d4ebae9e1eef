/** The wallets of this browser (EIP-6963, or `window.ethereum`). Their texts are never markup. */
import { isObject } from "@farthing/protocol";
import type { Provider } from "./provider.ts";

export interface Wallet {
  readonly id: string;
  readonly name: string;
  /** A `data:` address, or empty. */
  readonly icon: string;
  /** A name in reverse domain form, stable across visits, unlike the id. */
  readonly rdns: string;
  readonly provider: Provider;
}

/** More announcements are an attack by the page. */
const walletsMax = 30;
const nameCharactersMax = 40;

/** Wallets have this long to announce themselves before `window.ethereum` is read. */
const graceMs = 250;

const announced = new Map<string, Wallet>();
let wallets: readonly Wallet[] = [];
let isLookedFor = false;
const listeners = new Set<() => void>();

function isProvider(value: unknown): value is Provider {
  return isObject(value) && typeof value["request"] === "function";
}

/** Undefined when the announcement is malformed. */
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

/** Starts listening; call it once, before anything is shown. */
export function lookForWallets(): void {
  addEventListener("eip6963:announceProvider", (event) => {
    const wallet = readAnnouncement("detail" in event ? event.detail : undefined);
    // Listeners redraw buttons, and a click on a button that is being replaced is lost.
    if (!wallet || announced.has(wallet.id) || announced.size >= walletsMax) return;
    announced.set(wallet.id, wallet);
    publish();
  });
  addEventListener("ethereum#initialized", publish);
  dispatchEvent(new Event("eip6963:requestProvider"));
  setTimeout(() => {
    isLookedFor = true;
    // Wallets that are shown already stay.
    if (wallets.length === 0) publish();
  }, graceMs);
}

/** Returns a stop function. */
export function watchWallets(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const findWallets = () => wallets;

/** Undefined while the first wallets have not had time to announce themselves. */
export const findWalletsInTime = () => (wallets.length > 0 || isLookedFor ? wallets : undefined);
