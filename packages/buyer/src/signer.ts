/** Signers: anything with an address that signs EIP-712 typed data, such as a viem account. */
import {
  defined,
  isBytes32,
  parseWireAddress,
  wireAddressProblem,
  type Address,
  type authorizationTypedData,
  type Hex,
} from "@farthing/protocol";
import * as OxAddress from "ox/Address";
import * as OxHex from "ox/Hex";
import * as PersonalMessage from "ox/PersonalMessage";
import * as Secp256k1 from "ox/Secp256k1";
import * as Signature from "ox/Signature";
import * as TypedData from "ox/TypedData";

export type AuthorizationTypedData = ReturnType<typeof authorizationTypedData>;

/** A wallet that pays. */
export interface Signer {
  /** The address that holds the USDC and becomes the authorization's `from`. */
  readonly address: Address;
  /** The payer is a contract (ERC-1271); its code is checked where a node is set. */
  readonly isContract?: boolean;
  /** Rejects when the person or device refuses. */
  signTypedData(typedData: AuthorizationTypedData): Promise<Hex>;
  /**
   * Signs a text by `personal_sign`, to sign in for a pass; a contract wallet in the form that it
   * accepts itself. Without it no pass is signed in for.
   */
  signMessage?(text: { readonly message: string }): Promise<Hex>;
}

/** The key stays in the closure and is in no error. Throws a TypeError for an invalid key. */
export function privateKeySigner(privateKey: string): Signer {
  const key = readPrivateKey(privateKey);
  return {
    address: OxAddress.fromPublicKey(Secp256k1.getPublicKey({ privateKey: key }), {
      checksum: true,
    }),
    async signTypedData(typedData) {
      const payload = TypedData.getSignPayload(typedData);
      return Signature.toHex(Secp256k1.sign({ payload, privateKey: key }));
    },
    signMessage: async ({ message }) => signPersonalMessage(key, message),
  };
}

/** The signature of a text by `personal_sign` (EIP-191). Throws a TypeError for an invalid key. */
export function signPersonalMessage(privateKey: string, text: string): Hex {
  const payload = PersonalMessage.getSignPayload(OxHex.fromString(text));
  return Signature.toHex(Secp256k1.sign({ payload, privateKey: readPrivateKey(privateKey) }));
}

/** Throws a TypeError for an invalid key; the error does not quote it. */
export function readPrivateKey(text: string): Hex {
  const key = text.startsWith("0x") ? text : `0x${text}`;
  const problem = new TypeError("A private key is 64 hexadecimal digits, with or without 0x.");
  if (!isBytes32(key)) throw problem;
  try {
    Secp256k1.getPublicKey({ privateKey: key });
  } catch {
    // Zero, or not below the curve's order. The library's own error would quote the key.
    throw problem;
  }
  return key;
}

/**
 * For a contract wallet (ERC-1271) that accepts its owner's signature of the same typed data or text.
 * Wallets that want another form bring their own {@link Signer}.
 */
export function contractWalletSigner(
  wallet: string,
  owner: Pick<Signer, "signTypedData" | "signMessage">,
): Signer {
  const address = parseWireAddress(wallet);
  if (!address) throw new TypeError(`${wireAddressProblem("The contract wallet", wallet)}.`);
  return {
    address,
    isContract: true,
    signTypedData: (typedData) => owner.signTypedData(typedData),
    ...defined({ signMessage: owner.signMessage?.bind(owner) }),
  };
}
