/**
 * How agents that sign requests publish their keys (draft-ietf-webbotauth-httpsig-protocol, "Key
 * Distribution and Discovery").
 */
import * as Base64 from "ox/Base64";
import * as Hash from "ox/Hash";
import * as Hex from "ox/Hex";

/** Where an https origin serves the keys of its agents. */
export const agentDirectoryPath = "/.well-known/http-message-signatures-directory";

/** The media type with which the directory has to be served. */
export const agentDirectoryType = "application/http-message-signatures-directory+json";

/** The parameter `tag` of an agent's signature. */
export const agentSignatureTag = "web-bot-auth";

/**
 * The `keyid` of an Ed25519 key: its thumbprint (RFC 7638; RFC 8037, appendix A.3). `x` is the public
 * key in base64url. The order of the members is a part of the thumbprint.
 */
export function agentKeyId(x: string): string {
  const jwk = Hex.fromString(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`);
  return Base64.fromBytes(Hash.sha256(jwk, { as: "Bytes" }), { pad: false, url: true });
}
