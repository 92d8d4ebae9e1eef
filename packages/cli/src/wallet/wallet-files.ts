/** The wallets of this machine: one encrypted keystore for each name. */
import { existsSync, linkSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { KeystoreError, keystoreAddress } from "@farthing/buyer/keystore";
import { defined, type Address } from "@farthing/protocol";
import { buyerFolder, readIfThere } from "../input/buyer-settings.ts";
import { ConfigurationError } from "../command/command-errors.ts";

/** Throws a ConfigurationError unless the name is fit to be the name of a file. */
function demandWalletName(name: string): void {
  if (/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(name)) return;
  throw new ConfigurationError("Name a wallet with 1 to 64 letters, digits, - and _.");
}

/** The text of a wallet's keystore; throws a ConfigurationError when there is no such wallet. */
export function readWalletFile(name: string): string {
  demandWalletName(name);
  const text = readIfThere(pathOf(name));
  if (text !== undefined) return text;
  throw new ConfigurationError(
    `There is no wallet ${name}. List wallets with: farthing wallet list`,
  );
}

/** Writes a new wallet. Never overwrites one: a lost key is lost money. */
export function writeWalletFile(name: string, text: string): void {
  demandWalletName(name);
  const path = pathOf(name);
  mkdirSync(walletsFolder(), { recursive: true, mode: 0o700 });
  writeFileSync(`${path}.new`, text, { mode: 0o600, flush: true });
  try {
    // Unlike a rename, a link fails when the name is taken.
    linkSync(`${path}.new`, path);
  } catch (cause) {
    throw nameIsTaken(name, cause);
  } finally {
    rmSync(`${path}.new`);
  }
}

/** Throws a ConfigurationError when the name is taken, before a password is typed for it. */
export function demandNewWallet(name: string): void {
  demandWalletName(name);
  if (existsSync(pathOf(name))) throw nameIsTaken(name);
}

function nameIsTaken(name: string, cause?: unknown): ConfigurationError {
  return new ConfigurationError(`Wallet ${name} already exists. Choose another name.`, { cause });
}

/** Every wallet, by name; without an address when its keystore does not state it. */
export function listWallets() {
  const folder = walletsFolder();
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .sort()
    .map((file) => {
      const name = file.slice(0, -".json".length);
      const address = addressOf(readIfThere(join(folder, file)) ?? "");
      return { name, ...defined({ address }) };
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

function walletsFolder(): string {
  return join(buyerFolder(), "wallets");
}

function pathOf(name: string): string {
  return join(walletsFolder(), `${name}.json`);
}
