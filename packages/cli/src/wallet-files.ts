/** The wallets of this machine: one encrypted keystore for each name. */
import { existsSync, linkSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { KeystoreError, keystoreAddress } from "@farthing/buyer/keystore";
import type { Address } from "@farthing/protocol";
import { buyerFolder, readIfThere } from "./buyer-settings.ts";
import { ConfigurationError } from "./command-errors.ts";

/** What a wallet may be called: it becomes the name of a file. */
const walletName = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** Throws a ConfigurationError for a name that is none. */
function demandWalletName(name: string): void {
  if (walletName.test(name)) return;
  throw new ConfigurationError("A wallet's name has 1 to 64 letters, digits, - and _.");
}

/** The text of a wallet's keystore; throws a ConfigurationError when there is no such wallet. */
export function readWalletFile(environment: NodeJS.ProcessEnv, name: string): string {
  demandWalletName(name);
  const text = readIfThere(pathOf(environment, name));
  if (text !== undefined) return text;
  throw new ConfigurationError(`There is no wallet ${name}; see: farthing wallet list`);
}

/** Writes a new wallet, mode 0600. Never overwrites one: a lost key is lost money. */
export function writeWalletFile(environment: NodeJS.ProcessEnv, name: string, text: string): void {
  demandWalletName(name);
  const path = pathOf(environment, name);
  mkdirSync(walletsFolder(environment), { recursive: true, mode: 0o700 });
  writeFileSync(`${path}.new`, text, { mode: 0o600, flush: true });
  try {
    // Unlike a rename, a link fails when the name is taken.
    linkSync(`${path}.new`, path);
  } catch (cause) {
    throw new ConfigurationError(`There is a wallet ${name} already; choose another name.`, {
      cause,
    });
  } finally {
    rmSync(`${path}.new`);
  }
}

/** Throws a ConfigurationError when the name is taken, before anybody types a password for it. */
export function demandNewWallet(environment: NodeJS.ProcessEnv, name: string): void {
  demandWalletName(name);
  if (!existsSync(pathOf(environment, name))) return;
  throw new ConfigurationError(`There is a wallet ${name} already; choose another name.`);
}

/** A wallet as its file says; without an address when the file names none. */
export interface ListedWallet {
  readonly name: string;
  readonly address?: Address;
}

/** Every wallet, by name. */
export function listWallets(environment: NodeJS.ProcessEnv): ListedWallet[] {
  const folder = walletsFolder(environment);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .sort()
    .map((file) => {
      const name = file.slice(0, -".json".length);
      const address = addressOf(readIfThere(join(folder, file)) ?? "");
      return { name, ...(address === undefined ? {} : { address }) };
    });
}

function addressOf(text: string): Address | undefined {
  try {
    return keystoreAddress(text);
  } catch (error) {
    if (error instanceof KeystoreError) return undefined;
    throw error;
  }
}

function walletsFolder(environment: NodeJS.ProcessEnv): string {
  return join(buyerFolder(environment), "wallets");
}

function pathOf(environment: NodeJS.ProcessEnv, name: string): string {
  return join(walletsFolder(environment), `${name}.json`);
}
