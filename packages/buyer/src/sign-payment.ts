/** Signs an EIP-3009 authorization for one offer and writes the payment header of its version. */
import {
  authorizationTypedData,
  encodeHeader,
  headerNames,
  isHexBytes,
  isObject,
  member,
  signatureBytesMax,
  toWirePayment,
  type Authorization,
  type Hex,
  type JsonObject,
  type Requirements,
} from "@farthing/protocol";
import * as Hash from "ox/Hash";
import type { SignedPayment } from "./ledger/ledger.ts";
import type { Offer } from "./offer/read-challenge.ts";
import type { ReplayableRequest } from "./replayable-request.ts";
import type { Signer } from "./signer.ts";
import { randomHex, type Surroundings } from "./surroundings.ts";

/**
 * Longest validity that is signed. Until it ends the seller can present the authorization like a
 * cheque, so a short one is the cheapest protection; stock sellers ask for 300 s at most.
 */
export const validitySecondsMax = 300;

/** What is signed and for whom. */
export interface SigningOrder {
  readonly offer: Offer;
  readonly requirements: Requirements;
  readonly request: ReplayableRequest;
  readonly requestId: string;
  /** How often it was released before: each attempt has a nonce of its own. */
  readonly attempt: number;
  /** Where the payment goes; the request's address unless an unpaid redirect led elsewhere. */
  readonly url: string;
  /**
   * With a secret, the nonce follows from it and from the request, so that the same request id
   * gives the same nonce also after a crash and the chain itself refuses a second charge.
   */
  readonly nonceSecret?: Uint8Array;
}

/** Signs. Rejects with whatever the signer rejects with; nothing has left then. */
export async function signPayment(
  signer: Signer,
  surroundings: Surroundings,
  order: SigningOrder,
): Promise<SignedPayment> {
  const { requirements } = order;
  const nowSeconds = Math.floor(surroundings.now() / 1000);
  const validity = Math.min(Math.floor(requirements.maxTimeoutSeconds), validitySecondsMax);
  const validBefore = nowSeconds + validity;
  const authorization: Authorization = {
    from: signer.address,
    to: requirements.payTo,
    value: requirements.amount,
    // The token demands block time strictly after this; 0 holds whatever the clocks say.
    validAfter: 0n,
    validBefore: BigInt(validBefore),
    nonce: nonceOf(signer, surroundings, order),
  };
  const signature = await signer.signTypedData(
    authorizationTypedData(requirements.network, authorization),
  );
  if (!isHexBytes(signature, signatureBytesMax) || signature.length <= 2) {
    throw new TypeError(`The signer gave no signature of at most ${signatureBytesMax} bytes.`);
  }
  const headerName =
    requirements.version === 2 ? headerNames.paymentSignature : headerNames.xPayment;
  return {
    url: order.url,
    headerName,
    headerValue: encodeHeader(wirePayment(order, surroundings, authorization, signature)),
    version: requirements.version,
    nonce: authorization.nonce,
    validBefore,
  };
}

function nonceOf(signer: Signer, surroundings: Surroundings, order: SigningOrder): Hex {
  const { nonceSecret, request, requestId, requirements, attempt } = order;
  if (nonceSecret === undefined) return `0x${randomHex(surroundings, 32)}`;
  const bound = [
    requestId,
    attempt,
    request.fingerprint,
    signer.address,
    requirements.network.id,
    requirements.payTo,
    requirements.amount.toString(),
  ];
  return Hash.hmac256(nonceSecret, new TextEncoder().encode(JSON.stringify(bound)), { as: "Hex" });
}

function wirePayment(
  { offer, requirements, requestId }: SigningOrder,
  surroundings: Surroundings,
  authorization: Authorization,
  signature: Hex,
) {
  const core = {
    network: requirements.network,
    networkName: requirements.networkName,
    authorization,
    signature,
  };
  if (requirements.version === 1) return toWirePayment({ ...core, version: 1, shape: "v1" });
  const extensions = echoExtensions(offer.extensions, requestId, surroundings);
  return toWirePayment({
    ...core,
    version: 2,
    shape: "v2",
    accepted: offer.raw,
    ...(offer.resource === undefined ? {} : { resource: offer.resource }),
    ...(extensions === undefined ? {} : { extensions }),
  });
}

const paymentIdentifier = "payment-identifier";

/** What the payment-identifier extension takes as an id. */
const paymentId = /^[A-Za-z0-9_-]{16,128}$/;

/** Declared extensions are echoed as they are; an id is added where the seller wants one. */
function echoExtensions(
  declared: JsonObject | undefined,
  requestId: string,
  surroundings: Surroundings,
): JsonObject | undefined {
  if (declared === undefined) return undefined;
  const extension = member(declared, paymentIdentifier);
  const info = isObject(extension) ? member(extension, "info") : undefined;
  if (!isObject(extension) || !isObject(info)) return declared;
  const id = paymentId.test(requestId) ? requestId : `pay_${randomHex(surroundings, 16)}`;
  return { ...declared, [paymentIdentifier]: { ...extension, info: { ...info, id } } };
}
