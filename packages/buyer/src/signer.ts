/**
 * Who signs: anything with an address that signs EIP-712 typed data. A viem account fits as it
 * is; the two functions here make a signer of a private key and of a contract wallet's owner.
 */
import {
  isBytes32,
  parseWireAddress,
  type Address,
  type authorizationTypedData,
  type Hex,
} from "@farthing/protocol";
import * as OxAddress from "ox/Address";
import * as Secp256k1 from "ox/Secp256k1";
import * as Signature from "ox/Signature";
import * as TypedData from "ox/TypedData";

/** The typed data of an EIP-3009 transfer, as wallets take it. */
export type AuthorizationTypedData = ReturnType<typeof authorizationTypedData>;

/** A wallet that pays. */
export interface Signer {
  /** The address that holds the USDC and becomes the authorization's `from`. */
  readonly address: Address;
  /** The payer is a contract (ERC-1271); with an RPC address its code is checked before signing. */
  readonly isContract?: boolean;
  /** Signs; rejects when the person or device says no. */
  signTypedData(typedData: AuthorizationTypedData): Promise<Hex>;
}

/**
 * A signer of a 32-byte private key. The key stays in the closure and is in no error.
 * Throws a TypeError when the text is no private key.
 */
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
  };
}

function readPrivateKey(text: string): Hex {
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
 * A signer for a contract wallet (ERC-1271): `from` is the wallet, the bytes are the owner's
 * signature of the same typed data, passed on as they are. A wallet that wants another form
 * (several owners, a wrapped hash) brings its own {@link Signer}.
 */
export function contractWalletSigner(wallet: string, owner: Pick<Signer, "signTypedData">): Signer {
  const address = parseWireAddress(wallet);
  if (!address) throw new TypeError("The contract wallet is a 0x address of 20 bytes.");
  return {
    address,
    isContract: true,
    signTypedData: (typedData) => owner.signTypedData(typedData),
  };
}
