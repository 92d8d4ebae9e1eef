/**
 * The paying wallet from the environment. A key is never an argument: arguments are seen by every
 * process of the machine and kept in the shell's history.
 */
import { readFileSync } from "node:fs";
import { contractWalletSigner, privateKeySigner, type Signer } from "@farthing/buyer";
import { parseAddress, zeroAddress } from "@farthing/protocol";

/** Says what is missing or wrong in the environment; exit code 3. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
}

/** Variables of the wallet's key, the first that is set counts. */
export const keyVariables = ["FARTHING_WALLET_KEY", "FARTHING_WALLET_KEY_FILE"] as const;

/** The wallet, and a secret of its own for nonces that follow from a request id. */
export interface Wallet {
  readonly signer: Signer;
  /** Absent without a key. */
  readonly nonceSecret?: Uint8Array;
}

/**
 * Reads the wallet. Without a key it throws, or gives a wallet that cannot sign when `isReadOnly`.
 * `contract` makes an ERC-1271 wallet the payer; the key is then its owner's.
 */
export async function readWallet(
  environment: NodeJS.ProcessEnv,
  contract: string | undefined,
  isReadOnly: boolean,
): Promise<Wallet> {
  const key = readKey(environment);
  if (key === undefined) {
    if (isReadOnly) return { signer: keylessSigner(contract) };
    throw new ConfigurationError(
      "No wallet: set FARTHING_WALLET_KEY to a private key, or FARTHING_WALLET_KEY_FILE to a file that holds one. --dry-run needs none.",
    );
  }
  const owner = ownerOf(key);
  const signer =
    contract === undefined ? owner : contractWalletSigner(contractAddress(contract), owner);
  return { signer, nonceSecret: await nonceSecretOf(key) };
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

function keylessSigner(contract: string | undefined): Signer {
  return {
    address: parseAddress(contract) ?? zeroAddress,
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
