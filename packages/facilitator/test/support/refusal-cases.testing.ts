/** Ways to be refused before anything is claimed: one table for /verify and /settle. */
import type { Devnet } from "@farthing/devnet";
import type { JsonObject, RefusalCode } from "@farthing/protocol";
import { bodyOn, oneCent, secondsFromNow, walletAt, withMember } from "./facilitator.testing.ts";

const authorization = "paymentPayload.payload.authorization";

/** One way to be refused. */
export interface RefusalCase {
  readonly name: string;
  readonly code: RefusalCode;
  /** The ecosystem's name, where it is finer than the code's own. */
  readonly x402Reason?: string;
  /** What the sentence must tell. */
  readonly says: RegExp;
  readonly body: (devnet: Devnet) => JsonObject;
  readonly arrange?: (devnet: Devnet) => Promise<void>;
  readonly restore?: (devnet: Devnet) => Promise<void>;
}

export const shapeCases: RefusalCase[] = [
  {
    name: "no payload",
    code: "invalid_payload",
    says: /authorization must be an object/,
    body: (at) => withMember(bodyOn(at), authorization, undefined),
  },
  {
    name: "a value that is no number",
    code: "invalid_payload",
    says: /authorization\.value must be/,
    body: (at) => withMember(bodyOn(at), `${authorization}.value`, "abc"),
  },
  {
    name: "a nonce that is too short",
    code: "invalid_payload",
    says: /nonce must be 0x and 32 bytes/,
    body: (at) => withMember(bodyOn(at), `${authorization}.nonce`, "0x01"),
  },
  ...["from", "to"].map((name): RefusalCase => ({
    name: `an address of XDC's own form in ${name}`,
    code: "invalid_payload",
    says: new RegExp(`authorization.${name} begins with xdc; write 0x in its place`),
    body: (at) => withMember(bodyOn(at), `${authorization}.${name}`, `xdc${"ab".repeat(20)}`),
  })),
  ...["payTo", "asset"].map((name): RefusalCase => ({
    name: `an address of XDC's own form in ${name}`,
    code: "invalid_payment_requirements",
    says: new RegExp(`${name} begins with XDC; write 0x in its place`),
    body: (at) => withMember(bodyOn(at), `paymentRequirements.${name}`, `XDC${"ab".repeat(20)}`),
  })),
  {
    name: "a signature that is no hex",
    code: "invalid_payload",
    says: /signature must be 0x/,
    body: (at) => withMember(bodyOn(at), "paymentPayload.payload.signature", "0xzz"),
  },
  {
    name: "requirements without an amount",
    code: "invalid_payment_requirements",
    says: /amount must be base units/,
    body: (at) => withMember(bodyOn(at), "paymentRequirements.amount", undefined),
  },
  {
    name: "requirements of another version",
    code: "invalid_payment_requirements",
    says: /needs version 1 requirements/,
    body: (at) => ({
      ...bodyOn(at, { shape: "v1" }),
      paymentRequirements: bodyOn(at)["paymentRequirements"],
    }),
  },
  {
    name: "version 3",
    code: "invalid_x402_version",
    says: /must be 1 or 2/,
    body: (at) =>
      withMember(withMember(bodyOn(at), "x402Version", 3), "paymentPayload.x402Version", 3),
  },
  {
    name: "two versions in one request",
    code: "invalid_x402_version",
    says: /same in the request and in the payload/,
    body: (at) => withMember(bodyOn(at), "x402Version", 1),
  },
  {
    name: "another scheme in the requirements",
    code: "unsupported_scheme",
    says: /scheme must be `exact`/,
    body: (at) => withMember(bodyOn(at), "paymentRequirements.scheme", "upto"),
  },
  {
    name: "an upto payment, which uses permit2",
    code: "unsupported_scheme",
    says: /scheme must be `exact`/,
    body: (at) =>
      ["paymentPayload.accepted", "paymentRequirements"].reduce(
        (message, path) =>
          withMember(
            withMember(message, `${path}.scheme`, "upto"),
            `${path}.extra.assetTransferMethod`,
            "permit2",
          ),
        withMember(bodyOn(at), "paymentPayload.payload", { permit2Authorization: {} }),
      ),
  },
  {
    name: "a version 1 entry whose network is named as in version 2",
    code: "invalid_payment_requirements",
    says: /maxAmountRequired is of version 1.* calls this network xdc, not eip155:50/,
    body: (at) =>
      withMember(bodyOn(at, { shape: "v1" }), "paymentRequirements.network", "eip155:50"),
  },
  {
    name: "a version 2 entry whose network is named as in version 1",
    code: "invalid_payment_requirements",
    says: /amount is of version 2.* calls this network eip155:50, not xdc/,
    body: (at) => withMember(bodyOn(at), "paymentRequirements.network", "xdc"),
  },
  {
    name: "another scheme in the payment",
    code: "unsupported_scheme",
    says: /scheme must be `exact`/,
    body: (at) => withMember(bodyOn(at, { shape: "v1" }), "paymentPayload.scheme", "upto"),
  },
  {
    name: "permit2",
    code: "unsupported_transfer_method",
    says: /EIP-3009/,
    body: (at) =>
      withMember(bodyOn(at), "paymentRequirements.extra.assetTransferMethod", "permit2"),
  },
];

export const termsCases: RefusalCase[] = [
  {
    name: "a network that is not known",
    code: "unsupported_network",
    says: /eip155:50/,
    body: (at) => withMember(bodyOn(at), "paymentRequirements.network", "eip155:8453"),
  },
  {
    name: "a known network that is not served",
    code: "unsupported_network",
    says: /eip155:51 .*see \/supported/,
    body: (at) =>
      ["paymentPayload.accepted.network", "paymentRequirements.network"].reduce(
        (message, path) => withMember(message, path, "eip155:51"),
        bodyOn(at),
      ),
  },
  {
    name: "a version 1 payment whose network is named as in version 2",
    code: "unsupported_network",
    says: /Version 1 of x402 calls this network xdc, not eip155:50/,
    body: (at) => withMember(bodyOn(at, { shape: "v1" }), "paymentPayload.network", "eip155:50"),
  },
  {
    name: "a payment on another kind of chain",
    code: "unsupported_network",
    says: /network is unknown; version 2 names/,
    body: (at) =>
      withMember(
        withMember(bodyOn(at), "paymentPayload.accepted.network", "solana:5eykt4UsFv8P8NJdTREp"),
        "paymentPayload.accepted.asset",
        "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
      ),
  },
  {
    name: "networks that differ",
    code: "network_mismatch",
    says: /payment is for eip155:51, the requirements for eip155:50; sign for/,
    body: (at) => withMember(bodyOn(at), "paymentPayload.accepted.network", "eip155:51"),
  },
  {
    name: "networks that differ in version 1",
    code: "network_mismatch",
    says: /payment is for xdc-testnet, the requirements for xdc/,
    body: (at) => withMember(bodyOn(at, { shape: "v1" }), "paymentPayload.network", "xdc-testnet"),
  },
  {
    name: "USDC.e, by its name",
    code: "asset_mismatch",
    says: /bridged USDC\.e; only native USDC at 0xfA2958CB79b0491CC627c1557F441eF849Ca8eb1/,
    body: (at) =>
      withMember(
        bodyOn(at),
        "paymentRequirements.asset",
        "0x2a8e898b6242355c290e1f4fc966b8788729a4d4",
      ),
  },
  {
    name: "another asset in accepted",
    code: "asset_mismatch",
    says: /only native USDC/,
    body: (at) => withMember(bodyOn(at), "paymentPayload.accepted.asset", `0x${"22".repeat(20)}`),
  },
  {
    name: "the name USD Coin",
    code: "token_domain_mismatch",
    says: /"USD Coin".*must be "USDC" version "2"/,
    body: (at) => withMember(bodyOn(at), "paymentRequirements.extra.name", "USD Coin"),
  },
  {
    name: "the token's version 1",
    code: "token_domain_mismatch",
    x402Reason: "invalid_exact_evm_token_version_mismatch",
    says: /must be "USDC" version "2"/,
    body: (at) => withMember(bodyOn(at), "paymentRequirements.extra.version", "1"),
  },
  {
    name: "less than the price",
    code: "amount_mismatch",
    says: /10000 base units, 10001 are required; sign exactly/,
    body: (at) => withMember(bodyOn(at), "paymentRequirements.amount", "10001"),
  },
  {
    name: "more than the price",
    code: "amount_mismatch",
    says: /10000 base units, 9999 are required; sign exactly/,
    body: (at) => withMember(bodyOn(at), "paymentRequirements.amount", "9999"),
  },
  {
    name: "another payee",
    code: "pay_to_mismatch",
    says: /requirements name 0x.*; sign for that address/,
    body: (at) => withMember(bodyOn(at), "paymentRequirements.payTo", at.treasury.address),
  },
  {
    name: "payer and payee the same",
    code: "self_payment",
    says: /same address; pay from another/,
    body: (at) => bodyOn(at, { authorization: { to: walletAt(at.buyers, 0).address } }),
  },
  {
    name: "dust",
    code: "amount_below_minimum",
    says: /0\.001000 USDC or more; ask for at least that, or use an API key/,
    body: (at) => bodyOn(at, { authorization: { value: 999n } }),
  },
  {
    name: "too late",
    code: "authorization_expired",
    says: /seconds ago; sign a new/,
    body: (at) => bodyOn(at, { authorization: { validBefore: secondsFromNow(-5) } }),
  },
  {
    name: "too late to be settled",
    code: "authorization_expires_too_soon",
    says: /valid for \d more seconds, settling takes up to 6; sign one that lasts longer/,
    body: (at) => bodyOn(at, { authorization: { validBefore: secondsFromNow(4) } }),
  },
  {
    name: "too early",
    code: "authorization_not_yet_valid",
    says: /seconds ahead; sign with an earlier one/,
    body: (at) => bodyOn(at, { authorization: { validAfter: secondsFromNow(60) } }),
  },
];

export const chainCases: RefusalCase[] = [
  {
    name: "a canceled authorization",
    code: "nonce_already_used",
    says: /canceled this authorization in transaction 0x/,
    body: (at) => bodyOn(at, { authorization: { nonce: `0x${"ca".repeat(32)}` } }),
    arrange: (at) =>
      at.cancelAuthorization({
        privateKey: walletAt(at.buyers, 0).privateKey,
        nonce: `0x${"ca".repeat(32)}`,
      }),
  },
  {
    name: "too little USDC",
    code: "insufficient_funds",
    says: /holds 9999 base units of USDC, 10000 are required; add funds/,
    body: (at) => bodyOn(at, { payer: walletAt(at.buyers, 3) }),
    arrange: (at) => at.usdc.setBalance(walletAt(at.buyers, 3).address, oneCent - 1n),
    restore: (at) => at.usdc.setBalance(walletAt(at.buyers, 3).address, oneCent),
  },
  {
    name: "a paused token",
    code: "token_paused",
    says: /paused by its issuer; try again later/,
    body: (at) => bodyOn(at),
    arrange: (at) => at.usdc.pause(),
    restore: (at) => at.usdc.unpause(),
  },
  {
    name: "a blocked payer",
    code: "payer_blocked",
    says: /payer is blocked.*pay from another/,
    body: (at) => bodyOn(at),
    arrange: (at) => at.usdc.blacklist(walletAt(at.buyers, 0).address),
    restore: (at) => at.usdc.unBlacklist(walletAt(at.buyers, 0).address),
  },
  {
    name: "a blocked payee",
    code: "payee_blocked",
    says: /payTo is blocked.*needs another/,
    body: (at) => bodyOn(at),
    arrange: (at) => at.usdc.blacklist(at.seller.address),
    restore: (at) => at.usdc.unBlacklist(at.seller.address),
  },
  {
    name: "the token as the payee",
    code: "payee_blocked",
    says: /payTo is blocked/,
    body: (at) => bodyOn(at, { authorization: { to: at.token } }),
  },
];
