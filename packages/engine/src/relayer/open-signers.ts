/** The signers of a configuration: keys of this process, then AWS KMS, then Web3Signer. */
import { misconfigured } from "../base/fault.ts";
import { createKmsSigner } from "./remote-signers/aws-kms.ts";
import { createWeb3Signers, type Web3SignerOptions } from "./remote-signers/web3signer.ts";
import { createSigners, type KeySource } from "./sign.ts";
import type { Signer } from "./signer.ts";

/** Several kinds together serve a move from one to another. */
export interface WalletSource {
  readonly local?: KeySource | undefined;
  /** Ids, ARNs or aliases of keys in AWS KMS. */
  readonly kmsKeys?: readonly string[] | undefined;
  readonly web3signer?: Web3SignerOptions | undefined;
}

/** Asks key services for their addresses. Throws the fault `configuration`, which holds no secret. */
export async function openSigners(source: WalletSource): Promise<Signer[]> {
  const local = source.local ? createSigners(source.local) : [];
  const [kms, web3] = await Promise.all([
    Promise.all((source.kmsKeys ?? []).map(createKmsSigner)),
    source.web3signer ? createWeb3Signers(source.web3signer) : [],
  ]);
  const signers = [...local, ...kms, ...web3];
  const addresses = signers.map(({ address }) => address);
  const twice = addresses.find((address, index) => addresses.indexOf(address) !== index);
  if (twice === undefined) return signers;
  // Two managers of one wallet would take each other's nonces.
  throw misconfigured(`The relayer wallet ${twice} is configured twice; name each once`);
}
