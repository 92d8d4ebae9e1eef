/**
 * The wallet that was chosen, with the accounts and the network it shows us. It may change either
 * at any time; a session does not end by that, but a pending signature request is notified.
 */
import {
  ask,
  findWallets,
  readAddresses,
  readChainId,
  WalletProblem,
  watchWallets,
  type Wallet,
} from "@farthing/buyer/wallet";
import { isSameAddress, type Address } from "@farthing/protocol";
import { useSyncExternalStore } from "react";

/** A wallet that has shown us an account. */
export interface Connection {
  readonly wallet: Wallet;
  /** The one in use first. */
  readonly addresses: readonly Address[];
  /** Undefined while it has not said. */
  readonly chainId: number | undefined;
}

/** Under this name the browser keeps which wallet it was, so that a reload finds it again. */
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
  // Some wallets say it also when they have only been connected.
  if (before === addresses[0]) return;
  for (const listener of accountListeners) listener(addresses);
}

function chainChanged(value: unknown): void {
  if (connection) publish({ ...connection, chainId: readChainId(value) });
}

/** Listens to one wallet at a time. */
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

/** Asks a wallet for its accounts; it may ask the person first. */
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

/** Finds the wallet of the last visit again, without asking the person anything. */
export function restoreConnection(): void {
  const rdns = localStorage.getItem(rememberedAs);
  if (rdns === null) return;
  const look = () => {
    const wallet = findWallets().find((one) => one.rdns === rdns);
    if (!wallet || connection) return;
    stop();
    // A wallet that is locked or has forgotten us says so by silence: it is asked when needed.
    ask(wallet.provider, "eth_accounts", []).then(
      (accounts) => (connection ? undefined : adopt(wallet, accounts)),
      () => {},
    );
  };
  const stop = watchWallets(look);
  look();
}

/** The chosen wallet; undefined before one is chosen. */
export const findConnection = () => connection;

/** The chosen wallet; the component renders again when it changes. */
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

/** The chosen wallet, if it shows the account that has to sign; asks the wallet once more if not. */
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
