/** Signs claims and refunds for the channels of accounts, each by a key of its own from one secret. */
import {
  channelRefundDigest,
  claimBatchDigest,
  isSameAddress,
  type Address,
  type ChannelConfig,
} from "@farthing/protocol";
import { createChannelSigner, type DigestSigner } from "@farthing/engine";
import type { Secret } from "@farthing/engine/base";
import { noAuthorizer, type ChannelAuthorizer } from "./context.ts";

/** Accounts whose signer is remembered: deriving one takes as long as a signature. */
const rememberedMax = 1_000;

export function createAuthorizer(secret: Secret | undefined): ChannelAuthorizer {
  return secret ? authorizerBy(secret) : noAuthorizer;
}

function authorizerBy(secret: Secret): ChannelAuthorizer {
  const signers = new Map<string, DigestSigner>();

  function signerOf(account: Address): DigestSigner {
    const name = account.toLowerCase();
    const known = signers.get(name);
    if (known) return known;
    if (signers.size >= rememberedMax) signers.clear();
    const signer = createChannelSigner(secret, account);
    signers.set(name, signer);
    return signer;
  }

  const signFor = ({ receiver, receiverAuthorizer }: ChannelConfig, digest: () => Uint8Array) => {
    const signer = signerOf(receiver);
    return isSameAddress(signer.address, receiverAuthorizer) ? signer.sign(digest()) : undefined;
  };

  return {
    addressOf: (account) => (account === null ? undefined : signerOf(account).address),
    signClaims: async (chainId, config, claims) =>
      signFor(config, () => claimBatchDigest(chainId, claims)),
    signRefund: async (chainId, config, refund) =>
      signFor(config, () => channelRefundDigest(chainId, refund)),
  };
}
