/**
 * The paying wallet: a key of the environment, or a keystore of this machine. A key or a password
 * is never an argument: arguments are seen by every process and kept in the shell's history.
 */
import { readFileSync } from "node:fs";
import { contractWalletSigner, privateKeySigner, type Signer } from "@farthing/buyer";
import { decryptKeystore, keystoreAddress, KeystoreError } from "@farthing/buyer/keystore";
import { buyerVariables, parseAddress, zeroAddress, type Address } from "@farthing/protocol";
import { readPassword } from "./prompt.ts";
import { readSettings } from "./buyer-settings.ts";
import { ConfigurationError } from "./command-errors.ts";
import { readWalletFile } from "./wallet-files.ts";

/** Variables of the wallet's key, the first that is set counts. */
export const keyVariables = [buyerVariables.walletKey, buyerVariables.walletKeyFile] as const;

/** The wallet, and a secret of its own for nonces that follow from a request id. */
export interface Wallet {
  readonly signer: Signer;
  /** Absent without a key. */
  readonly nonceSecret?: Uint8Array;
}

/** How a run names its wallet. */
export interface WalletFlags {
  /** An ERC-1271 wallet becomes the payer; the key is then its owner's. */
  readonly walletContract?: string;
  /** The name of a keystore; goes before everything in the environment. */
  readonly wallet?: string;
  readonly passwordStdin?: boolean;
}

/**
 * Reads the wallet: `--wallet`, then a key of the environment, then FARTHING_WALLET, then the one
 * in use. Without any it throws a ConfigurationError. When `isReadOnly` it asks for no password and
 * gives a wallet that cannot sign, of the right address where that is known.
 */
export async function readWallet(
  environment: NodeJS.ProcessEnv,
  flags: WalletFlags,
  isReadOnly: boolean,
): Promise<Wallet> {
  const { walletContract: contract } = flags;
  const name = walletInUse(environment, flags);
  if (isReadOnly && name !== undefined) {
    return { signer: keylessSigner(contract, keystoreAddress(readWalletFile(environment, name))) };
  }
  const key = name === undefined ? readKey(environment) : await unlock(environment, name, flags);
  if (key === undefined) {
    if (isReadOnly) return { signer: keylessSigner(contract) };
    throw new ConfigurationError(
      "No wallet: make one with `farthing wallet create`, or set FARTHING_WALLET_KEY to a private key, or FARTHING_WALLET_KEY_FILE to a file that holds one. --dry-run needs none.",
    );
  }
  const owner = ownerOf(key);
  const signer =
    contract === undefined ? owner : contractWalletSigner(contractAddress(contract), owner);
  return { signer, nonceSecret: await nonceSecretOf(key) };
}

/** The name of the keystore that counts; undefined when a key of the environment does, or none. */
export function walletInUse(
  environment: NodeJS.ProcessEnv,
  { wallet }: WalletFlags,
): string | undefined {
  if (wallet !== undefined) return wallet;
  if (keyVariables.some((variable) => isSet(environment[variable]))) return undefined;
  const named = environment[buyerVariables.wallet];
  return isSet(named) ? named : readSettings(environment).wallet;
}

function isSet(text: string | undefined): text is string {
  return text !== undefined && text !== "";
}

async function unlock(
  environment: NodeJS.ProcessEnv,
  name: string,
  { passwordStdin }: WalletFlags,
): Promise<string> {
  const text = readWalletFile(environment, name);
  const password = await readPassword({ environment, isOnStdin: passwordStdin === true }, false);
  try {
    return await decryptKeystore(text, password);
  } catch (error) {
    if (!(error instanceof KeystoreError)) throw error;
    throw new ConfigurationError(`Wallet ${name}: ${error.message}`, { cause: error });
  }
}

function readKey(environment: NodeJS.ProcessEnv): string | undefined {
  const [keyName, fileName] = keyVariables;
  const key = environment[keyName]?.trim();
  if (key !== undefined && key !== "") return key;
  const path = environment[fileName];
  if (path === undefined || path === "") return undefined;
  try {
    return readFileSync(path, "utf8").trim();
  } catch (cause) {
    throw new ConfigurationError(`${fileName} names a file that cannot be read: ${path}`, {
      cause,
    });
  }
}

function ownerOf(key: string): Signer {
  try {
    return privateKeySigner(key);
  } catch (cause) {
    throw new ConfigurationError(
      "The wallet key is no private key; it is 64 hexadecimal digits, with or without 0x.",
      { cause },
    );
  }
}

function contractAddress(text: string): string {
  const address = parseAddress(text);
  if (address) return address;
  throw new ConfigurationError("--wallet-contract is no address: 0x or xdc and 40 digits.");
}

/** A wallet that cannot sign. */
export function keylessSigner(contract?: string, address: Address = zeroAddress): Signer {
  return {
    address: parseAddress(contract) ?? address,
    isContract: contract !== undefined,
    signTypedData: () => Promise.reject(new ConfigurationError("There is no key to sign with.")),
  };
}

/**
 * HMAC of a fixed text under the key: stable for a wallet, and of no use to find the key. With it
 * a second run with the same --request-id signs the same nonce, which the chain takes only once.
 */
async function nonceSecretOf(key: string): Promise<Uint8Array> {
  const bytes = new TextEncoder().encode(key.replace(/^0x/, "").toLowerCase());
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const hmacKey = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["sign"]);
  const text = new TextEncoder().encode("farthing pay: nonces of request ids, version 1");
  return new Uint8Array(await crypto.subtle.sign("HMAC", hmacKey, text));
}
