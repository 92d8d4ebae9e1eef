/** The paying wallet: a key of the environment, or a keystore of this machine. */
import {
  contractWalletSigner,
  privateKeySigner,
  signPersonalMessage,
  type Signer,
} from "@farthing/buyer";
import {
  decryptKeystore,
  keystoreAddress,
  KeystoreError,
  signTransaction,
  type SignedTransaction,
  type WalletTransaction,
} from "@farthing/buyer/keystore";
import {
  buyerVariables,
  parseAddress,
  zeroAddress,
  type Address,
  type Hex,
} from "@farthing/protocol";
import { readNamedFile, readSettings, readVariable } from "../input/buyer-settings.ts";
import { ConfigurationError } from "../command/command-errors.ts";
import { readPassword, type PasswordFlags } from "../input/prompt.ts";
import { readWalletFile } from "./wallet-files.ts";

export interface Wallet {
  readonly signer: Signer;
  /** The secret that nonces of request ids are derived from; absent without a key. */
  readonly nonceSecret?: Uint8Array;
  /** Signs a text by `personal_sign`; absent without a key. */
  readonly signText?: (text: string) => Hex;
  /** Signs a transaction of the key's own address; absent without a key. */
  readonly signTransaction?: (transaction: WalletTransaction) => SignedTransaction;
}

export interface WalletFlags extends PasswordFlags {
  /** An ERC-1271 wallet that pays; the key is then its owner's. */
  readonly walletContract?: string;
  /** The name of a keystore, which takes precedence over the environment. */
  readonly wallet?: string;
}

/**
 * Reads the wallet: `--wallet`, then a key of the environment, then FARTHING_WALLET, then the
 * default wallet. Without any it throws a ConfigurationError. When `isReadOnly` it asks for no
 * password, and the wallet cannot sign; its address is right where that is known.
 */
export async function readWallet(flags: WalletFlags, isReadOnly: boolean): Promise<Wallet> {
  const { walletContract: contract } = flags;
  const name = walletInUse(flags);
  if (isReadOnly && name !== undefined) {
    return { signer: keylessSigner(contract, keystoreAddress(readWalletFile(name))) };
  }
  const key = name === undefined ? readKey() : await unlock(name, flags);
  if (key === undefined) {
    if (isReadOnly) return { signer: keylessSigner(contract) };
    throw new ConfigurationError(
      "No wallet configured. Create one with `farthing wallet create`, or set FARTHING_WALLET_KEY to a private key or FARTHING_WALLET_KEY_FILE to a file that holds one. --dry-run needs no wallet.",
    );
  }
  const owner = ownerOf(key);
  const signer =
    contract === undefined ? owner : contractWalletSigner(contractAddress(contract), owner);
  return {
    signer,
    nonceSecret: await nonceSecretOf(key),
    signText: (text) => signPersonalMessage(key, text),
    signTransaction: (transaction) => signTransaction(key, transaction),
  };
}

/** The name of the keystore to use; undefined for a key of the environment, or no wallet. */
export function walletInUse({ wallet }: WalletFlags): string | undefined {
  if (wallet !== undefined) return wallet;
  const { walletKey, walletKeyFile } = buyerVariables;
  if ((readVariable(walletKey) ?? readVariable(walletKeyFile)) !== undefined) return undefined;
  return readVariable(buyerVariables.wallet) ?? readSettings().wallet;
}

async function unlock(name: string, flags: WalletFlags): Promise<string> {
  const text = readWalletFile(name);
  const password = await readPassword(flags, false);
  try {
    return await decryptKeystore(text, password);
  } catch (error) {
    if (!(error instanceof KeystoreError)) throw error;
    throw new ConfigurationError(`Wallet ${name}: ${error.message}`, { cause: error });
  }
}

function readKey(): string | undefined {
  const key = process.env[buyerVariables.walletKey]?.trim();
  if (key !== undefined && key !== "") return key;
  const path = readVariable(buyerVariables.walletKeyFile);
  return path && readNamedFile(path, buyerVariables.walletKeyFile).trim();
}

function ownerOf(key: string): Signer {
  try {
    return privateKeySigner(key);
  } catch (cause) {
    throw new ConfigurationError(
      "The wallet key is not a private key. Use 64 hexadecimal digits, with or without 0x.",
      { cause },
    );
  }
}

function contractAddress(text: string): string {
  const address = parseAddress(text);
  if (address) return address;
  throw new ConfigurationError("--wallet-contract must be 0x or xdc and 40 hexadecimal digits.");
}

export function keylessSigner(contract?: string, address: Address = zeroAddress): Signer {
  return {
    address: parseAddress(contract) ?? address,
    isContract: contract !== undefined,
    signTypedData: () => Promise.reject(new ConfigurationError("There is no key to sign with.")),
  };
}

/**
 * HMAC of a fixed text under the key: stable for a wallet, and of no use to find the key. With it
 * a second run with the same --request-id signs the same nonce, which the chain accepts only once.
 */
async function nonceSecretOf(key: string): Promise<Uint8Array> {
  const bytes = new TextEncoder().encode(key.replace(/^0x/, "").toLowerCase());
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const hmacKey = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["sign"]);
  const text = new TextEncoder().encode("farthing pay: nonces of request ids, version 1");
  return new Uint8Array(await crypto.subtle.sign("HMAC", hmacKey, text));
}
