/**
 * Keys in AWS KMS (`ECC_SECG_P256K1`), which never leave it. Credentials and region come from the standard
 * chain of the AWS SDK, which is loaded only when such a key is configured.
 */
import { createPublicKey } from "node:crypto";
import type { Address } from "@farthing/protocol";
import * as OxAddress from "ox/Address";
import * as Hex from "ox/Hex";
import * as PublicKey from "ox/PublicKey";
import * as Signature from "ox/Signature";
import * as TxEnvelopeLegacy from "ox/TxEnvelopeLegacy";
import { Fault, misconfigured } from "../../base/fault.ts";
import {
  attachSignature,
  envelopeOf,
  type DigestSigner,
  type RecoverableSignature,
  type Signer,
} from "../signer.ts";
import { askSigner, atStart, SignerRefusal } from "./ask-signer.ts";
import { checkedSignature } from "./checked-signature.ts";

const service = "AWS KMS";

/** A signature of the key is at most 72 bytes in DER. */
const derBytesMax = 72;

/** A key in KMS, of which only the address is known here. */
interface KmsKey {
  readonly address: Address;
  sign(digest: Uint8Array): Promise<RecoverableSignature>;
}

/** `keyId`: a key's id, ARN or alias. Throws the fault `configuration`. */
export async function createKmsSigner(keyId: string): Promise<Signer> {
  const key = await openKey(keyId, "FARTHING_RELAYER_KMS_KEYS");
  return {
    address: key.address,
    service,
    async sign(transaction) {
      const envelope = envelopeOf(transaction);
      const signature = await key.sign(Hex.toBytes(TxEnvelopeLegacy.getSignPayload(envelope)));
      return attachSignature(envelope, signature);
    },
  };
}

/** `setting`: what names the key. Throws the fault `configuration`. */
export async function createKmsDigestSigner(keyId: string, setting: string): Promise<DigestSigner> {
  const key = await openKey(keyId, setting);
  return {
    address: key.address,
    service,
    sign: async (digest) => Signature.toHex(await key.sign(digest)),
  };
}

async function openKey(keyId: string, setting: string): Promise<KmsKey> {
  const { KMSClient, GetPublicKeyCommand, SignCommand } = await loadSdk();
  const region = /^arn:[^:]+:kms:([^:]+):/.exec(keyId)?.[1];
  // Attempts are counted and bounded here.
  const client = new KMSClient({ maxAttempts: 1, ...(region === undefined ? {} : { region }) });
  const fix = `check ${setting}, AWS_REGION and the credentials; "${keyId}" needs kms:GetPublicKey and kms:Sign`;
  const asked = askSigner(
    service,
    async (abortSignal) => {
      const command = new GetPublicKeyCommand({ KeyId: keyId });
      const { PublicKey: der } = await client.send(command, { abortSignal }).catch(refusing);
      return addressOf(der, keyId);
    },
    sentenceOf,
  );
  const address = await atStart(asked, fix);
  return {
    address,
    sign(digest) {
      const command = new SignCommand({
        KeyId: keyId,
        Message: digest,
        MessageType: "DIGEST",
        SigningAlgorithm: "ECDSA_SHA_256",
      });
      return askSigner(
        service,
        async (abortSignal) => {
          const { Signature: der } = await client.send(command, { abortSignal }).catch(refusing);
          return checkedSignature(Hex.fromBytes(digest), readDer(der), address);
        },
        sentenceOf,
      );
    },
  };
}

async function loadSdk() {
  try {
    return await import("@aws-sdk/client-kms");
  } catch {
    throw misconfigured(
      "Keys in AWS KMS need the package @aws-sdk/client-kms; install it beside the facilitator",
    );
  }
}

/** The address of a public key in SubjectPublicKeyInfo. */
function addressOf(der: Uint8Array | undefined, keyId: string): Address {
  try {
    const { crv, x, y } = createPublicKey({
      key: Buffer.from(der ?? []),
      format: "der",
      type: "spki",
    }).export({ format: "jwk" });
    if (crv === "secp256k1" && x !== undefined && y !== undefined) {
      const point = [x, y].map((part) => Buffer.from(part, "base64url").toString("hex"));
      const key = PublicKey.fromHex(`0x04${point.join("")}`);
      return OxAddress.checksum(OxAddress.fromPublicKey(key));
    }
  } catch {
    // Reported below.
  }
  throw new SignerRefusal(`"${keyId}" is not a key of the spec ECC_SECG_P256K1`);
}

function readDer(der: Uint8Array | undefined) {
  try {
    if (der && der.length <= derBytesMax) {
      const { r, s } = Signature.fromDerBytes(der);
      return { r: BigInt(r), s: BigInt(s) };
    }
  } catch {
    // Reported below.
  }
  throw new SignerRefusal("the signature is not in DER");
}

/** KMS errors that a second attempt may not meet; all others of the service are final. */
const temporary = /Throttl|Internal|Unavailable|Timeout|LimitExceeded/i;

/** Turns a final refusal into one that is not repeated. */
function refusing(error: unknown): never {
  const isOfService = error instanceof Error && "$fault" in error;
  if (isOfService && !temporary.test(error.name)) throw new SignerRefusal(error.name);
  throw error;
}

/** Names the error only: texts of the SDK may hold parts of requests and credentials. */
function sentenceOf(error: unknown): string {
  if (error instanceof SignerRefusal || error instanceof Fault) return error.message;
  if (!(error instanceof Error)) return "the request failed";
  if (error.message === "Region is missing") return "no region is configured; set AWS_REGION";
  return `the request failed (${error.name})`;
}
