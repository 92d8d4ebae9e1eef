/** An authority of a test's own, and certificates from it, for servers on this machine. */
import { generateKeyPairSync, sign, type KeyObject } from "node:crypto";

/** What a server on this machine speaks TLS with. */
export interface ServerIdentity {
  /** PEM. */
  readonly key: string;
  readonly cert: string;
}

/** An authority. */
export interface TestAuthority {
  /** PEM. */
  readonly cert: string;
  /** A certificate for these names; this machine's own when left out. */
  identify(names?: CertificateNames): ServerIdentity;
}

/** Whom a certificate is for. */
export interface CertificateNames {
  readonly dns?: readonly string[];
  /** IPv4. */
  readonly ips?: readonly string[];
}

/** Makes an authority that nobody else believes. */
export function createAuthority(name = "Test authority"): TestAuthority {
  const keys = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const issuer = { name, key: keys.privateKey };
  const isAuthority = extension("551d13", octets(sequence(tlv(0x01, Buffer.from([0xff])))), true);
  const cert = certificate(issuer, name, keys.publicKey, isAuthority);
  return {
    cert,
    identify({ dns = ["localhost"], ips = ["127.0.0.1"] } = {}) {
      const own = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
      const names = [
        ...dns.map((one) => tlv(0x82, Buffer.from(one))),
        ...ips.map((one) => tlv(0x87, Buffer.from(one.split(".").map(Number)))),
      ];
      const isFor = extension("551d11", octets(sequence(...names)), false);
      return {
        key: own.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
        cert: certificate(issuer, "Test server", own.publicKey, isFor),
      };
    },
  };
}

/** RFC 5280, section 4.1; as little of it as OpenSSL takes. */
function certificate(
  issuer: { readonly name: string; readonly key: KeyObject },
  subject: string,
  publicKey: KeyObject,
  extensions: Buffer,
): string {
  // ecdsa-with-SHA256.
  const algorithm = sequence(tlv(0x06, Buffer.from("2a8648ce3d040302", "hex")));
  const body = sequence(
    tlv(0xa0, integer(2)),
    integer(++serial),
    algorithm,
    nameOf(issuer.name),
    sequence(daysFromNow(-1), daysFromNow(30)),
    nameOf(subject),
    publicKey.export({ type: "spki", format: "der" }),
    tlv(0xa3, sequence(extensions)),
  );
  const signature = sign("sha256", body, issuer.key);
  const der = sequence(body, algorithm, tlv(0x03, Buffer.concat([Buffer.from([0]), signature])));
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}

let serial = 1;

const dayMs = 24 * 60 * 60 * 1000;

/** UTCTime: `261120100000Z`. */
function daysFromNow(days: number): Buffer {
  const text = new Date(Date.now() + days * dayMs).toISOString().replaceAll(/[-:T]|\.\d+/g, "");
  return tlv(0x17, Buffer.from(text.slice(2)));
}

/** A name of one part, its common name. */
function nameOf(text: string): Buffer {
  const part = sequence(tlv(0x06, Buffer.from("550403", "hex")), tlv(0x0c, Buffer.from(text)));
  return sequence(tlv(0x31, part));
}

function extension(id: string, value: Buffer, isCritical: boolean): Buffer {
  const critical = isCritical ? [tlv(0x01, Buffer.from([0xff]))] : [];
  return sequence(tlv(0x06, Buffer.from(id, "hex")), ...critical, value);
}

const octets = (content: Buffer) => tlv(0x04, content);
const sequence = (...parts: readonly Buffer[]) => tlv(0x30, Buffer.concat(parts));
const integer = (value: number) => tlv(0x02, Buffer.from([value]));

/** One element of DER: its tag, its length, its content. */
function tlv(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
