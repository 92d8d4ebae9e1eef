/** Stand-ins of the APIs of AWS KMS and Web3Signer on loopback, which really sign. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type { DevnetWallet } from "@farthing/devnet";
import { isObject, type Hex } from "@farthing/protocol";
import * as Hash from "ox/Hash";
import * as OxHex from "ox/Hex";
import * as PublicKey from "ox/PublicKey";
import * as Secp256k1 from "ox/Secp256k1";
import * as Signature from "ox/Signature";
import { listenHere } from "./listening.testing.ts";

/** What a service does instead of signing with its key. */
export type KeyServiceFault =
  | "none"
  | "hangs"
  | "refuses"
  | "signs with another key"
  | "no signature";

export interface KeyService {
  readonly url: string;
  fault: KeyServiceFault;
  /** Signatures that were made. */
  signed: number;
  stop(): Promise<void>;
}

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

const otherKey: Hex = `0x${"77".repeat(32)}`;

/** The start of a SubjectPublicKeyInfo of an uncompressed point on secp256k1. */
const spkiStart = "3056301006072a8648ce3d020106052b8104000a034200";

type Reply = { readonly status: number; readonly body: string } | "hang";

async function startService(
  reply: (request: IncomingMessage, body: string, service: KeyService) => Reply,
): Promise<KeyService> {
  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const replied = reply(request, await text(request), service);
    if (replied === "hang") return;
    response.writeHead(replied.status, { "content-type": "application/json" }).end(replied.body);
  }

  const server = createServer((request, response) => {
    void respond(request, response);
  });
  const service: KeyService = {
    url: `http://127.0.0.1:${await listenHere(server)}`,
    fault: "none",
    signed: 0,
    async stop() {
      server.closeAllConnections();
      server.close();
    },
  };
  return service;
}

const refused = (type: string) => ({ status: 400, body: JSON.stringify({ __type: type }) });

/** Its signatures differ each time and mostly have the high s, as those of KMS may. */
export function startKms(wallet: DevnetWallet, keyId: string): Promise<KeyService> {
  return startService((request, body, service) => {
    const { authorization = "", "x-amz-target": target = "" } = request.headers;
    const isSigned =
      /^AWS4-HMAC-SHA256 Credential=[^/]+\/\d{8}\/eu-test-1\/kms\/aws4_request,.*Signature=[0-9a-f]{64}$/.test(
        authorization,
      );
    if (!isSigned) return refused("MissingAuthenticationTokenException");
    const input: unknown = JSON.parse(body);
    if (!isObject(input) || input["KeyId"] !== keyId) return refused("NotFoundException");
    if (target === "TrentService.GetPublicKey") {
      const point = PublicKey.toHex(Secp256k1.getPublicKey(wallet));
      const PublicKeyText = Buffer.from(`${spkiStart}${point.slice(2)}`, "hex").toString("base64");
      return { status: 200, body: JSON.stringify({ PublicKey: PublicKeyText }) };
    }
    if (service.fault === "hangs") return "hang";
    if (service.fault === "refuses") return refused("AccessDeniedException");
    if (service.fault === "no signature") return { status: 200, body: '{"Signature":"MAA="}' };
    const { Message, MessageType, SigningAlgorithm } = input;
    const isDigest = MessageType === "DIGEST" && SigningAlgorithm === "ECDSA_SHA_256";
    if (target !== "TrentService.Sign" || !isDigest) return refused("ValidationException");
    const payload = OxHex.fromBytes(Buffer.from(String(Message), "base64"));
    const privateKey = service.fault === "none" ? wallet.privateKey : otherKey;
    const { r, s } = Secp256k1.sign({ payload, privateKey, extraEntropy: true });
    service.signed += 1;
    const high = OxHex.fromNumber(order - BigInt(s), { size: 32 });
    const der = Signature.toDerHex({ r, s: service.signed % 4 === 0 ? s : high });
    const signature = Buffer.from(der.slice(2), "hex").toString("base64");
    return { status: 200, body: JSON.stringify({ Signature: signature }) };
  });
}

/** Hashes what it signs, and expects the credentials of the proxy in front of it. */
export function startWeb3Signer(wallet: DevnetWallet, credentials: string): Promise<KeyService> {
  const identifier = `0x${PublicKey.toHex(Secp256k1.getPublicKey(wallet)).slice(4)}`;
  const expected = `Basic ${Buffer.from(credentials).toString("base64")}`;
  return startService((request, body, service) => {
    if (request.headers.authorization !== expected) return { status: 401, body: "" };
    if (request.url === "/api/v1/eth1/publicKeys") {
      return { status: 200, body: JSON.stringify([identifier]) };
    }
    if (request.url !== `/api/v1/eth1/sign/${identifier}`) return { status: 404, body: "" };
    if (service.fault === "hangs") return "hang";
    if (service.fault === "refuses") return { status: 503, body: "" };
    if (service.fault === "no signature") return { status: 200, body: "0x" };
    const input: unknown = JSON.parse(body);
    const data = isObject(input) ? input["data"] : undefined;
    if (typeof data !== "string") return { status: 400, body: "" };
    const privateKey = service.fault === "none" ? wallet.privateKey : otherKey;
    const payload = Hash.keccak256(OxHex.fromBytes(Buffer.from(data.slice(2), "hex")));
    service.signed += 1;
    return { status: 200, body: Signature.toHex(Secp256k1.sign({ payload, privateKey })) };
  });
}
