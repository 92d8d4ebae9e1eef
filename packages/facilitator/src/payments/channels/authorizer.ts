/**
 * Signs claims and refunds for the channels of accounts: each account has a key of its own from one
 * secret, and beside them one key in a key service may sign for all accounts.
 */
import {
  channelRefundDigest,
  claimBatchDigest,
  isSameAddress,
  type Address,
  type ChannelConfig,
} from "@farthing/protocol";
import { createChannelSigner, createKmsDigestSigner, type DigestSigner } from "@farthing/engine";
import { Fault, messageOf, type Runtime, type Secret } from "@farthing/engine/base";
import { noAuthorizer, type ChannelAuthorizer } from "./context.ts";

/** Accounts whose signer is remembered: deriving one takes as long as a signature. */
const rememberedMax = 1_000;

/**
 * A key service that has failed is left alone for half of the time between two looks for claims, so that
 * each look asks once, whatever the number of accounts.
 */
const pauseMs = 5_000;

export interface AuthorizerSettings {
  readonly channelSecret: Secret | undefined;
  /** Id, ARN or alias of a key in AWS KMS. */
  readonly channelKmsKey: string | undefined;
}

/** Opens the remote key of the settings; undefined without one. Throws the fault `configuration`. */
export async function openChannelKey({
  channelKmsKey,
}: Pick<AuthorizerSettings, "channelKmsKey">): Promise<DigestSigner | undefined> {
  if (channelKmsKey === undefined) return undefined;
  return createKmsDigestSigner(channelKmsKey, "FARTHING_CHANNEL_KMS_KEY");
}

export interface AuthorizerKeys extends Runtime {
  readonly secret: Secret | undefined;
  readonly remote: DigestSigner | undefined;
}

export function createAuthorizer({
  secret,
  remote,
  ...runtime
}: AuthorizerKeys): ChannelAuthorizer {
  const derived = secret && derivedSigners(secret);
  const paused = remote && pauseAfterFailures(remote, runtime);
  if (!derived && !paused) return noAuthorizer;

  /** The signer of a channel: each names its authorizer for ever. */
  function signerOf({ receiver, receiverAuthorizer }: ChannelConfig): DigestSigner | undefined {
    const is = (one: DigestSigner | undefined) =>
      one !== undefined && isSameAddress(one.address, receiverAuthorizer);
    if (is(paused)) return paused;
    const own = derived?.(receiver);
    return is(own) ? own : undefined;
  }

  return {
    addressOf(account) {
      if (account === null) return undefined;
      return (paused ?? derived?.(account))?.address;
    },
    canSign: (config) => signerOf(config) !== undefined,
    signClaims: async (chainId, config, claims) =>
      signerOf(config)?.sign(claimBatchDigest(chainId, claims)),
    signRefund: async (chainId, config, refund) =>
      signerOf(config)?.sign(channelRefundDigest(chainId, refund)),
  };
}

function derivedSigners(secret: Secret): (account: Address) => DigestSigner {
  const signers = new Map<string, DigestSigner>();
  return (account) => {
    const name = account.toLowerCase();
    const known = signers.get(name);
    if (known) return known;
    if (signers.size >= rememberedMax) signers.clear();
    const signer = createChannelSigner(secret, account);
    signers.set(name, signer);
    return signer;
  };
}

/** Fails at once for some seconds after a failure. */
function pauseAfterFailures(signer: DigestSigner, { clock, log }: Runtime): DigestSigner {
  const fields = { authorizer: signer.address };
  let askAgainAtMs = 0;
  let isDown = false;
  return {
    ...signer,
    async sign(digest) {
      if (clock.nowMs() < askAgainAtMs) {
        throw new Fault("signer_unavailable", "The key service of channels has just failed");
      }
      try {
        const signature = await signer.sign(digest);
        if (isDown) {
          log.info(
            { event: "channel_signing_resumed", ...fields },
            "Channels are signed for again",
          );
        }
        isDown = false;
        return signature;
      } catch (error) {
        isDown = true;
        askAgainAtMs = clock.nowMs() + pauseMs;
        log.error(
          { event: "channel_signing_failed", ...fields, problem: messageOf(error) },
          "Claim or refund of channels not signed; it waits until its key service works",
        );
        throw error;
      }
    },
  };
}
