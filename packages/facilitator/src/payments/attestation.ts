/**
 * Attestations of settlements: signed statements (JWS with EdDSA, RFC 8037) that money moved. Anyone
 * checks them with the published keys; only the chain is stronger evidence.
 */
import { createHash, sign, type KeyObject } from "node:crypto";
import {
  networkOfChain,
  settlementAttestationKey,
  settlementAttestationType,
  type JsonObject,
  type SettlementAttestation,
} from "@farthing/protocol";
import type { Settlement } from "@farthing/engine";
import type { Clock } from "@farthing/engine/base";

export interface AttestationTerms {
  readonly clock: Clock;
  /** The origin that attestations name as their issuer. */
  readonly publicUrl: string | undefined;
  /** Undefined without keys; nothing is attested then. */
  readonly attestationKeys:
    | { readonly signing: KeyObject; readonly published: readonly KeyObject[] }
    | undefined;
  /** Whether responses of /settle and /settlements/{id} that report success carry one. */
  readonly settleAttestation: boolean;
}

export type Attestor = ReturnType<typeof createAttestor>;

export function createAttestor(terms: AttestationTerms) {
  const { clock, publicUrl, attestationKeys: keys, settleAttestation } = terms;
  const published = (keys?.published ?? []).map(publicJwk);
  const header = encode({
    alg: "EdDSA",
    typ: settlementAttestationType,
    kid: published[0]?.kid,
  });

  /** Signs the state of a confirmed settlement; undefined for others. */
  function signed(settlement: Settlement, finalized: boolean): string | undefined {
    const statement = keys && statementOf(settlement, finalized);
    if (!statement) return undefined;
    const text = `${header}.${encode(statement)}`;
    return `${text}.${sign(null, Buffer.from(text), keys.signing).toString("base64url")}`;
  }

  function statementOf(
    settlement: Settlement,
    finalized: boolean,
  ): SettlementAttestation | undefined {
    const { transaction, blockNumber, blockHash, logIndex, refundOf } = settlement;
    if (settlement.state !== "confirmed") return undefined;
    if (transaction === null || blockNumber === null) return undefined;
    if (blockHash === null || logIndex === null) return undefined;
    return {
      ...(publicUrl === undefined ? {} : { iss: publicUrl }),
      iat: Math.floor(clock.nowMs() / 1000),
      settlementId: settlement.id,
      ...(refundOf === null ? {} : { refundOf }),
      network: networkOfChain(settlement.chainId).id,
      asset: settlement.asset,
      payer: settlement.payer,
      payTo: settlement.payTo,
      amount: settlement.amount.toString(),
      nonce: settlement.nonce,
      transaction,
      logIndex,
      blockNumber,
      blockHash,
      finalized,
    };
  }

  return {
    /** The published keys (RFC 7517); the list is empty without keys. */
    keySet: { keys: published },
    /** Whether anything is attested. */
    isConfigured: keys !== undefined,
    /** Attests the present state, which is final only if that is recorded. */
    attest: (settlement: Settlement) => signed(settlement, settlement.finalizedAt !== null),
    /**
     * Returns the `extensions` of a response that reports success. It never calls the settlement
     * final: buyers keep the response, and only a fresh request states finality.
     */
    extensionsOf(settlement: Settlement): { readonly extensions?: JsonObject } {
      const signature = settleAttestation ? signed(settlement, false) : undefined;
      if (signature === undefined) return {};
      const info = { attestation: { format: "jws", signature } };
      return { extensions: { [settlementAttestationKey]: { info } } };
    },
  };
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

/** The key with its thumbprint (RFC 7638) as its name, so that a name never means two keys. */
function publicJwk(key: KeyObject) {
  const { x } = key.export({ format: "jwk" });
  const members = { crv: "Ed25519", kty: "OKP", x };
  const kid = createHash("sha256").update(JSON.stringify(members)).digest("base64url");
  return { ...members, kid, alg: "EdDSA", use: "sig" };
}
