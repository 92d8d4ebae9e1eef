/** The text that a wallet signs (EIP-4361). Signatures are checked against the stored text. */
import type { Address, ChainId } from "@farthing/protocol";
import * as Siwe from "ox/Siwe";

/** Times are milliseconds since 1970. */
export interface MessageTerms {
  /** Host and port of the configured public address; wallets compare it with the page's. */
  readonly domain: string;
  readonly uri: string;
  readonly address: Address;
  readonly chainId: ChainId;
  /** One line, in the characters of {@link statementText}. */
  readonly statement: string;
  /** At least 8 letters and digits (EIP-4361), with 96 random bits or more. */
  readonly nonce: string;
  readonly requestId: string;
  readonly issuedAt: number;
  readonly expiresAt: number;
  readonly resources?: readonly string[];
}

export function composeMessage(terms: MessageTerms): string {
  const { issuedAt, expiresAt, resources, ...rest } = terms;
  return Siwe.createMessage({
    ...rest,
    version: "1",
    issuedAt: new Date(issuedAt),
    expirationTime: new Date(expiresAt),
    ...(resources ? { resources: [...resources] } : {}),
  });
}

/** EIP-4361 allows a name with a dot, an IPv4 address or localhost. */
export function isMessageDomain(host: string): boolean {
  return [Siwe.domainRegex, Siwe.ipRegex, Siwe.localhostRegex].some((form) => form.test(host));
}

/** Replaces characters that EIP-4361 forbids: wallets would show the text without warnings. */
export function statementText(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9 :/?#[\]@!$&'()*+,;=._~-]/g, "?");
}
