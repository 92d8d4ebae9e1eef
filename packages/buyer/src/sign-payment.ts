/** Signs an EIP-3009 authorization for one offer and writes the payment header of its version. */
import {
  authorizationTypedData,
  bindingNonce,
  defined,
  encodeHeader,
  headerNames,
  isHexBytes,
  isObject,
  isPaymentIdentifier,
  member,
  objectMembers,
  paymentIdentifierName,
  requestBindingKey,
  signatureBytesMax,
  toWirePayment,
  withBindingSalt,
  type Authorization,
  type Hex,
  type JsonObject,
} from "@farthing/protocol";
import { bindingTargetOf, type BindingOrder } from "./bound-request.ts";
import type { SignedPayment } from "./ledger/ledger.ts";
import type { Signer } from "./signer.ts";
import { randomHex, type Runtime } from "./runtime.ts";

/** For so long the seller can present the authorization; stock sellers ask for 300 s at most. */
export const validitySecondsMax = 300;

export interface SigningOrder extends BindingOrder {
  readonly requestId: string;
  /** From 0: how many payments of this request ended without a charge before this one. */
  readonly attempt: number;
  /** In place of random bytes, so that after a crash the chain itself refuses a second charge. */
  readonly derive?: (purpose: NoncePurpose) => Hex;
}

/** For the nonce itself, or for the salt of one that commits to the request. */
export type NoncePurpose = "nonce" | "salt";

/** Rejects with the signer's error; nothing was sent then. */
export async function signPayment(
  signer: Signer,
  runtime: Runtime,
  order: SigningOrder,
): Promise<SignedPayment> {
  const { requirements } = order;
  const nowSeconds = Math.floor(runtime.now() / 1000);
  const validity = Math.min(Math.floor(requirements.maxTimeoutSeconds), validitySecondsMax);
  const validBefore = nowSeconds + validity;
  const commitment = commitmentOf(runtime, order);
  const authorization: Authorization = {
    from: signer.address,
    to: requirements.payTo,
    value: requirements.amount,
    // The token demands block time strictly after this; 0 holds for any clock.
    validAfter: 0n,
    validBefore: BigInt(validBefore),
    nonce: commitment.nonce,
  };
  const signature = await signer.signTypedData(
    authorizationTypedData(requirements.network, authorization),
  );
  if (!isHexBytes(signature, signatureBytesMax) || signature.length <= 2) {
    throw new TypeError(`The signer returned no signature of at most ${signatureBytesMax} bytes.`);
  }
  const headerName =
    requirements.version === 2 ? headerNames.paymentSignature : headerNames.xPayment;
  return {
    url: order.url,
    headerName,
    headerValue: encodeHeader(
      wirePayment(order, runtime, authorization, { signature, ...commitment }),
    ),
    version: requirements.version,
    nonce: authorization.nonce,
    validBefore,
  };
}

/** A salt opens a nonce that commits to the request; other nonces are 32 bytes of their own. */
function commitmentOf(
  runtime: Runtime,
  order: SigningOrder,
): { readonly nonce: Hex; readonly salt?: Hex } {
  const { payTo } = order.requirements;
  const bytes = order.derive ?? ((): Hex => `0x${randomHex(runtime, 32)}`);
  const target = bindingTargetOf(order);
  if (target === undefined) return { nonce: bytes("nonce") };
  const salt = bytes("salt");
  return { salt, nonce: bindingNonce({ ...target, salt, payTo }) };
}

function wirePayment(
  { offer, requirements, requestId, attempt }: SigningOrder,
  runtime: Runtime,
  authorization: Authorization,
  { signature, salt }: { readonly signature: Hex; readonly salt?: Hex },
) {
  const { network, networkName } = requirements;
  const core = { network, networkName, authorization, signature };
  const echoed = echoExtensions(offer.extensions, nameOf(requestId, attempt), runtime);
  if (requirements.version === 1) {
    // Version 1 has no extensions; the binding is the only one that is sent.
    const own = echoed && objectMembers(echoed, requestBindingKey);
    const bound = salt === undefined ? own : withBindingSalt(own, salt);
    const has = bound !== undefined && Object.keys(bound).length > 0;
    const extensions = has ? bound : undefined;
    return toWirePayment({ ...core, version: 1, shape: "v1", ...defined({ extensions }) });
  }
  const extensions = salt === undefined ? echoed : withBindingSalt(echoed, salt);
  return toWirePayment({
    ...core,
    version: 2,
    shape: "v2",
    accepted: offer.raw,
    ...defined({ resource: offer.resource, extensions }),
  });
}

/** An id stands for one payment until its authorization ends, also where the payment has failed. */
function nameOf(requestId: string, attempt: number): string {
  return attempt === 0 ? requestId : `${requestId}-${attempt}`;
}

/** Echoes declared extensions; an id is added where the seller wants one. */
export function echoExtensions(
  declared: JsonObject | undefined,
  name: string,
  runtime: Runtime,
): JsonObject | undefined {
  if (declared === undefined) return undefined;
  const extension = member(declared, paymentIdentifierName);
  const info = isObject(extension) ? member(extension, "info") : undefined;
  if (!isObject(extension) || !isObject(info)) return declared;
  const id = isPaymentIdentifier(name) ? name : `pay_${randomHex(runtime, 16)}`;
  return { ...declared, [paymentIdentifierName]: { ...extension, info: { ...info, id } } };
}
