/**
 * The selected wallet with the accounts and the network that it shows. Both may change at any time;
 * the session stays, and pending signature requests are notified.
 */
import {
  ask,
  findWallets,
  readAddresses,
  readChainId,
  WalletProblem,
  watchWallets,
  type ConnectedWallet,
  type Wallet,
} from "@farthing/buyer/wallet";
import { isSameAddress, type Address } from "@farthing/protocol";
import { useSyncExternalStore } from "react";

export interface Connection extends ConnectedWallet {
  /** The active one first. */
  readonly addresses: readonly Address[];
}

/** The browser remembers the wallet under this name, for the next visit. */
const rememberedAs = "farthing.wallet";

let connection: Connection | undefined;
let stopListening = () => {};
const listeners = new Set<() => void>();
const accountListeners = new Set<(addresses: readonly Address[]) => void>();

function publish(next: Connection | undefined): void {
  connection = next;
  for (const listener of listeners) listener();
}

function accountsChanged(value: unknown): void {
  const addresses = readAddresses(value);
  const before = connection?.addresses[0];
  if (connection) publish(addresses.length > 0 ? { ...connection, addresses } : undefined);
  // Some wallets report this although nothing has changed.
  if (before === addresses[0]) return;
  for (const listener of accountListeners) listener(addresses);
}

function chainChanged(value: unknown): void {
  if (connection) publish({ ...connection, chainId: readChainId(value) });
}

function listenTo({ provider }: Wallet): void {
  stopListening();
  provider.on?.("accountsChanged", accountsChanged);
  provider.on?.("chainChanged", chainChanged);
  stopListening = () => {
    provider.removeListener?.("accountsChanged", accountsChanged);
    provider.removeListener?.("chainChanged", chainChanged);
  };
}

async function adopt(wallet: Wallet, accounts: unknown): Promise<Connection | undefined> {
  const addresses = readAddresses(accounts);
  if (addresses.length === 0) return undefined;
  const chainId = readChainId(await ask(wallet.provider, "eth_chainId", []));
  const adopted = { wallet, addresses, chainId };
  listenTo(wallet);
  publish(adopted);
  return adopted;
}

/** The wallet may ask the person first. */
export async function connect(wallet: Wallet, signal?: AbortSignal): Promise<Connection> {
  const accounts = await ask(wallet.provider, "eth_requestAccounts", [], signal);
  const adopted = await adopt(wallet, accounts);
  if (!adopted) {
    throw new WalletProblem(
      "failed",
      "Your wallet shares no account with this page. Unlock it and try again.",
    );
  }
  localStorage.setItem(rememberedAs, wallet.rdns);
  return adopted;
}

/** Finds the wallet of the last visit again, without a prompt. */
export function restoreConnection(): void {
  const rdns = localStorage.getItem(rememberedAs);
  if (rdns === null) return;
  const look = () => {
    const wallet = findWallets().find((one) => one.rdns === rdns);
    if (!wallet || connection) return;
    stop();
    // A locked wallet does not respond; it is asked when it is needed.
    ask(wallet.provider, "eth_accounts", []).then(
      (accounts) => (connection ? undefined : adopt(wallet, accounts)),
      () => {},
    );
  };
  const stop = watchWallets(look);
  look();
}

export const findConnection = () => connection;

export function useConnection(): Connection | undefined {
  return useSyncExternalStore((changed) => {
    listeners.add(changed);
    return () => listeners.delete(changed);
  }, findConnection);
}

/** Calls back when the wallet switches accounts. Returns a stop function. */
export function watchAccounts(listener: (addresses: readonly Address[]) => void): () => void {
  accountListeners.add(listener);
  return () => accountListeners.delete(listener);
}

/** The selected wallet, asked once more when it does not show the account that has to sign. */
export async function connectionOf(address: Address, signal: AbortSignal): Promise<Connection> {
  if (!connection) {
    throw new WalletProblem("not_chosen", "Select the wallet to sign with.");
  }
  const shows = ({ addresses }: Connection) => addresses.some((one) => isSameAddress(one, address));
  if (shows(connection)) return connection;
  const again = await connect(connection.wallet, signal);
  if (shows(again)) return again;
  throw new WalletProblem(
    "other_account",
    `${again.wallet.name} is using ${again.addresses[0]}. Switch it to ${address} and try again.`,
  );
}
