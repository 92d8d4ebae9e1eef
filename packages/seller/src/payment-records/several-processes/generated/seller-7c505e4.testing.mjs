// The seller of commit 7c505e4 in a process, as shop-process.testing.ts starts today's: bundled by
// esbuild, without the paywall's page. For the tests of a rolling restart beside it.
var __defProp = Object.defineProperty;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __esm = (fn, res, err) => function __init() {
  if (err) throw err[0];
  try {
    return fn && (res = (0, fn[__getOwnPropNames(fn)[0]])(fn = 0)), res;
  } catch (e) {
    throw err = [e], e;
  }
};
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};

// packages/protocol/src/address.ts
import * as OxAddress from "ox/Address";
function parseWireAddress(value) {
  return typeof value === "string" && /^0x[0-9a-fA-F]{40}$/.test(value) ? OxAddress.checksum(value) : void 0;
}
function parseAddress(value) {
  if (typeof value !== "string") return void 0;
  const text2 = value.trim();
  const xdc2 = /^xdc([0-9a-f]{40})$/i.exec(text2);
  if (xdc2) return OxAddress.checksum(`0x${xdc2[1]}`);
  const address = parseWireAddress(text2);
  const digits = text2.slice(2);
  const oneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  return address !== void 0 && (oneCase || text2 === address) ? address : void 0;
}
function isSameAddress(one, other) {
  return one.toLowerCase() === other.toLowerCase();
}
var zeroAddress;
var init_address = __esm({
  "packages/protocol/src/address.ts"() {
    zeroAddress = "0x0000000000000000000000000000000000000000";
  }
});

// packages/protocol/src/hex.ts
function isHexBytes(value, bytesMax) {
  return typeof value === "string" && value.length <= 2 + 2 * bytesMax && value.length % 2 === 0 && /^0x[0-9a-fA-F]*$/.test(value);
}
function isBytes32(value) {
  return isHexBytes(value, 32) && value.length === 66;
}
function toLowerHex(hex) {
  return `0x${hex.slice(2).toLowerCase()}`;
}
var init_hex = __esm({
  "packages/protocol/src/hex.ts"() {
  }
});

// packages/protocol/src/json.ts
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
function member(object, key) {
  return Object.hasOwn(object, key) ? object[key] : void 0;
}
function textMember(object, key) {
  const value = member(object, key);
  return typeof value === "string" ? { [key]: value } : {};
}
function objectMember(object, key) {
  const value = member(object, key);
  return isObject(value) ? { [key]: value } : {};
}
function parseJson(text2) {
  if (typeof text2 !== "string") return void 0;
  if (isDeeperThan(text2, jsonDepthMax)) return void 0;
  try {
    return { value: JSON.parse(text2) };
  } catch {
    return void 0;
  }
}
function isDeeperThan(text2, depthMax) {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text2.length; at++) {
    const code = text2.charCodeAt(at);
    if (inString) {
      if (code === 92) at++;
      else if (code === 34) inString = false;
    } else if (code === 34) inString = true;
    else if (code === 123 || code === 91) {
      if (++depth > depthMax) return true;
    } else if (code === 125 || code === 93) depth--;
  }
  return false;
}
function canonicalJson(value) {
  return JSON.stringify(
    value,
    (_key, item) => isObject(item) ? Object.fromEntries(Object.entries(item).sort(([one], [other]) => one < other ? -1 : 1)) : item
  );
}
var jsonDepthMax;
var init_json = __esm({
  "packages/protocol/src/json.ts"() {
    jsonDepthMax = 32;
  }
});

// packages/protocol/src/refusals.ts
function isRefusalCode(value) {
  return typeof value === "string" && Object.hasOwn(table, value);
}
function x402ReasonOf(of) {
  if (typeof of === "string") return table[of].x402Reason;
  return of.x402Reason ?? table[of.code].x402Reason;
}
function refusal(code, message2, x402Reason) {
  const finer = x402Reason === void 0 ? {} : { x402Reason };
  return { code, message: message2 ?? table[code].message, ...finer };
}
function refuse(code, message2, x402Reason) {
  return { ok: false, refusal: refusal(code, message2, x402Reason) };
}
function accept(value) {
  return { ok: true, value };
}
var table, refusalCodes;
var init_refusals = __esm({
  "packages/protocol/src/refusals.ts"() {
    table = {
      invalid_payload: {
        x402Reason: "invalid_payload",
        message: "The payment payload is malformed; send the object that the x402 specification shows."
      },
      invalid_payment_requirements: {
        x402Reason: "invalid_payment_requirements",
        message: "The payment requirements are malformed; send one entry of the challenge's accepts."
      },
      invalid_x402_version: {
        x402Reason: "invalid_x402_version",
        message: "x402Version must be 1 or 2, and the same in the request and in the payload."
      },
      unsupported_scheme: {
        x402Reason: "invalid_exact_evm_scheme",
        message: "Only the scheme `exact` is supported."
      },
      unsupported_transfer_method: {
        x402Reason: "unsupported_payload_type",
        message: "Only EIP-3009 transferWithAuthorization is supported; sign that instead."
      },
      unsupported_network: {
        x402Reason: "invalid_network",
        message: "This network is not served here; see /supported."
      },
      network_mismatch: {
        x402Reason: "invalid_exact_evm_network_mismatch",
        message: "The payload and the requirements name different networks."
      },
      asset_mismatch: {
        x402Reason: "invalid_payment_requirements",
        message: "The asset is not the USDC contract of this network."
      },
      token_domain_mismatch: {
        x402Reason: "invalid_exact_evm_token_name_mismatch",
        message: "extra.name must be `USDC` and extra.version `2` on this network."
      },
      invalid_signature: {
        x402Reason: "invalid_exact_evm_signature",
        message: "The signature does not belong to authorization.from; sign again."
      },
      wallet_not_deployed: {
        x402Reason: "invalid_exact_evm_payload_undeployed_smart_wallet",
        message: "The paying smart wallet is not deployed; deploy it first."
      },
      amount_mismatch: {
        x402Reason: "invalid_exact_evm_payload_authorization_value_mismatch",
        message: "authorization.value must equal the required amount."
      },
      pay_to_mismatch: {
        x402Reason: "invalid_exact_evm_recipient_mismatch",
        message: "authorization.to must equal payTo."
      },
      authorization_expired: {
        x402Reason: "invalid_exact_evm_payload_authorization_valid_before",
        message: "The authorization has expired; sign a new one."
      },
      authorization_not_yet_valid: {
        x402Reason: "invalid_exact_evm_payload_authorization_valid_after",
        message: "The authorization is not valid yet; sign one with an earlier validAfter."
      },
      nonce_already_used: {
        x402Reason: "invalid_exact_evm_nonce_already_used",
        message: "This authorization is already used or in flight; a new payment needs a new nonce."
      },
      insufficient_funds: {
        x402Reason: "invalid_exact_evm_insufficient_balance",
        message: "The payer's USDC balance is below the amount."
      },
      token_paused: {
        x402Reason: "invalid_exact_evm_transaction_simulation_failed",
        message: "USDC is paused by its issuer; try again later."
      },
      payer_blocked: {
        x402Reason: "invalid_exact_evm_transaction_simulation_failed",
        message: "The payer is blocked by the issuer of USDC; pay from another address."
      },
      payee_blocked: {
        x402Reason: "invalid_exact_evm_transaction_simulation_failed",
        message: "payTo is blocked by the issuer of USDC; the seller needs another address."
      },
      simulation_failed: {
        x402Reason: "invalid_exact_evm_transaction_simulation_failed",
        message: "The transfer would fail on chain."
      },
      payer_spend_cap_reached: {
        x402Reason: "payer_spend_cap_reached",
        message: "The payer has reached the spending cap of this facilitator; try again later."
      },
      settlement_pending: {
        x402Reason: "settlement_pending",
        message: "The transfer is under way; ask again with the same payment, do not sign a new one."
      },
      authorization_canceled: {
        x402Reason: "invalid_exact_evm_nonce_already_used",
        message: "The payer canceled this authorization; sign a new one."
      },
      transaction_reverted: {
        x402Reason: "invalid_exact_evm_transaction_failed",
        message: "The transaction was mined and reverted; no money moved."
      },
      transfer_not_found: {
        x402Reason: "invalid_exact_evm_transfer_event_mismatch",
        message: "The transaction succeeded without the expected transfer."
      }
    };
    refusalCodes = Object.keys(table).filter(isRefusalCode);
  }
});

// packages/protocol/src/authorization.ts
import * as Hash from "ox/Hash";
function parseUint256(value) {
  if (typeof value !== "string" || !/^\d{1,78}$/.test(value)) return void 0;
  const number = BigInt(value);
  return number <= uint256Max ? number : void 0;
}
function parseAuthorization(input) {
  if (!isObject(input)) return malformed("payload.authorization must be an object");
  const from = parseWireAddress(member(input, "from"));
  if (!from) return malformed("authorization.from must be a 0x address of 20 bytes");
  const to = parseWireAddress(member(input, "to"));
  if (!to) return malformed("authorization.to must be a 0x address of 20 bytes");
  const numbers = parseNumbers(input);
  if (!numbers.ok) return numbers;
  const nonce = member(input, "nonce");
  if (!isBytes32(nonce)) return malformed("authorization.nonce must be 0x and 32 bytes");
  return accept({ from, to, ...numbers.value, nonce: toLowerHex(nonce) });
}
function parseNumbers(input) {
  const value = parseUint256(member(input, "value"));
  const validAfter = parseUint256(member(input, "validAfter"));
  const validBefore = parseUint256(member(input, "validBefore"));
  if (value === void 0) return malformed(`authorization.value must be ${decimals}`);
  if (validAfter === void 0) return malformed(`authorization.validAfter must be ${decimals}`);
  if (validBefore === void 0) return malformed(`authorization.validBefore must be ${decimals}`);
  return accept({ value, validAfter, validBefore });
}
function malformed(message2) {
  return refuse("invalid_payload", `${message2}.`);
}
function toWireAuthorization(authorization) {
  return {
    from: authorization.from,
    to: authorization.to,
    value: authorization.value.toString(),
    validAfter: authorization.validAfter.toString(),
    validBefore: authorization.validBefore.toString(),
    nonce: authorization.nonce
  };
}
var uint256Max, decimals;
var init_authorization = __esm({
  "packages/protocol/src/authorization.ts"() {
    init_address();
    init_hex();
    init_json();
    init_refusals();
    uint256Max = (1n << 256n) - 1n;
    decimals = "a string of decimal digits below 2^256";
  }
});

// packages/protocol/src/headers.ts
function encodeHeader(value) {
  const json = JSON.stringify(value).replaceAll(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  );
  return btoa(json);
}
function decodeHeader(text2) {
  if (typeof text2 !== "string") return void 0;
  if (text2.length === 0 || text2.length > headerCharsMax) return void 0;
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text2)) return void 0;
  const unpadded = text2.replace(/=+$/, "");
  const isPadded = unpadded.length !== text2.length;
  if (unpadded.length % 4 === 1 || isPadded && text2.length % 4 !== 0) return void 0;
  const binary = atob(unpadded.padEnd(Math.ceil(unpadded.length / 4) * 4, "="));
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  try {
    return parseJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return void 0;
  }
}
var headerNames, headerCharsMax;
var init_headers = __esm({
  "packages/protocol/src/headers.ts"() {
    init_json();
    headerNames = {
      /** The challenge, version 2. */
      paymentRequired: "PAYMENT-REQUIRED",
      /** The payment: version 2, then version 1. */
      paymentSignature: "PAYMENT-SIGNATURE",
      xPayment: "X-PAYMENT",
      /** The receipt: version 2, then version 1. */
      paymentResponse: "PAYMENT-RESPONSE",
      xPaymentResponse: "X-PAYMENT-RESPONSE",
      /** Ours: `no` on an answer for which the seller took no money and will take none. */
      paymentCharged: "X-Payment-Charged"
    };
    headerCharsMax = 32 * 1024;
  }
});

// packages/protocol/src/networks.ts
function findNetwork(name) {
  if (typeof name === "number") return byChainId.get(name);
  return typeof name === "string" ? byId.get(name) ?? byLabel.get(name) : void 0;
}
function findNetworkOf(version, name) {
  if (typeof name !== "string") return void 0;
  return version === 1 ? byLabel.get(name) : byId.get(name);
}
var usdcDecimals, domain, xdc, apothem, networks, byChainId, byId, byLabel;
var init_networks = __esm({
  "packages/protocol/src/networks.ts"() {
    usdcDecimals = 6;
    domain = { name: "USDC", version: "2" };
    xdc = {
      chainId: 50,
      id: "eip155:50",
      label: "xdc",
      aliases: [],
      name: "XDC Network",
      usdc: "0xfA2958CB79b0491CC627c1557F441eF849Ca8eb1",
      domain,
      domainSeparator: "0xe3bb44ae105af7e23bb39b117e22bbcbf435066554f45b3a9bbcba42c80fe56d",
      multicall3: ["0x0B1795ccA8E4eC4df02346a082df54D437F8D9aF"],
      lookalikes: /* @__PURE__ */ new Map([["0x2A8E898b6242355c290E1f4Fc966b8788729A4D4", "bridged USDC.e"]]),
      explorerUrl: "https://xdcscan.com"
    };
    apothem = {
      chainId: 51,
      id: "eip155:51",
      label: "xdc-apothem",
      // The name other x402 software writes for Apothem.
      aliases: ["xdc-testnet"],
      name: "Apothem Network",
      usdc: "0xb5AB69F7bBada22B28e79C8FFAECe55eF1c771D4",
      domain,
      domainSeparator: "0x3835afe643ce123f3bc71a8e3123e24651d2d4309bbf3ba58329a1db60b9b2c3",
      // Public sources disagree about Apothem; both places are looked at.
      multicall3: [
        "0xcA11bde05977b3631167028862bE2a173976CA11",
        "0x7937b3878860eb3CDA14360cEaaa11a9646d941B"
      ],
      lookalikes: /* @__PURE__ */ new Map(),
      explorerUrl: "https://testnet.xdcscan.com"
    };
    networks = [xdc, apothem];
    byChainId = new Map(networks.map((network) => [network.chainId, network]));
    byId = new Map(networks.map((network) => [network.id, network]));
    byLabel = new Map(
      networks.flatMap(
        (network) => [network.label, ...network.aliases].map((label) => [label, network])
      )
    );
  }
});

// packages/protocol/src/requirements.ts
function toRequirementsV1(requirements) {
  const { network } = requirements;
  return {
    scheme: "exact",
    network: requirements.version === 1 ? requirements.networkName : network.label,
    maxAmountRequired: requirements.amount.toString(),
    resource: requirements.resource ?? "",
    description: requirements.description ?? "",
    mimeType: requirements.mimeType ?? "",
    payTo: requirements.payTo,
    maxTimeoutSeconds: requirements.maxTimeoutSeconds,
    asset: requirements.asset,
    extra: {
      name: requirements.domainName ?? network.domain.name,
      version: requirements.domainVersion ?? network.domain.version
    }
  };
}
function toRequirementsV2(requirements) {
  const { network } = requirements;
  return {
    scheme: "exact",
    network: network.id,
    amount: requirements.amount.toString(),
    asset: requirements.asset,
    payTo: requirements.payTo,
    maxTimeoutSeconds: requirements.maxTimeoutSeconds,
    extra: {
      assetTransferMethod: "eip3009",
      name: requirements.domainName ?? network.domain.name,
      version: requirements.domainVersion ?? network.domain.version,
      ...requirements.paymentFlow === void 0 ? {} : { paymentFlow: requirements.paymentFlow }
    }
  };
}
var unknownNetwork;
var init_requirements = __esm({
  "packages/protocol/src/requirements.ts"() {
    unknownNetwork = "The network is unknown; version 2 names are eip155:50 and eip155:51, version 1 names xdc and xdc-apothem.";
  }
});

// packages/protocol/src/challenge.ts
function buildChallenge(input) {
  const { offers, resource, mode = "dual", error = "Payment required" } = input;
  const extensions = input.extensions === void 0 ? {} : { extensions: input.extensions };
  const entries = offers.map((offer) => toRequirementsV2(offer));
  const header = { x402Version: 2, error, resource, accepts: entries, ...extensions };
  const versioned = entries.map((entry) => ({ x402Version: 2, ...entry }));
  const first = offers.map((offer) => toRequirementsV1(describe(offer, resource)));
  const body = mode === "dual" ? { x402Version: 1, error, accepts: [...first, ...versioned] } : { x402Version: 2, error, resource, accepts: versioned, ...extensions };
  return {
    headers: {
      [headerNames.paymentRequired]: encodeHeader(header),
      "Content-Type": "application/json",
      "Cache-Control": "no-store"
    },
    body
  };
}
function describe(offer, resource) {
  const { url, description = "", mimeType = "" } = resource;
  return {
    ...offer,
    version: 1,
    networkName: offer.network.label,
    resource: url,
    description,
    mimeType
  };
}
var init_challenge = __esm({
  "packages/protocol/src/challenge.ts"() {
    init_headers();
    init_requirements();
  }
});

// packages/protocol/src/error-codes.ts
var init_error_codes = __esm({
  "packages/protocol/src/error-codes.ts"() {
  }
});

// packages/protocol/src/facilitator-messages.ts
function parseVerifyResponse(input) {
  if (!isObject(input)) return void 0;
  const isValid = member(input, "isValid");
  if (typeof isValid !== "boolean") return void 0;
  return {
    isValid,
    ...textMember(input, "invalidReason"),
    ...textMember(input, "invalidMessage"),
    ...textMember(input, "payer"),
    ...objectMember(input, "extensions"),
    ...objectMember(input, "extra")
  };
}
function parseSettleResponse(input) {
  if (!isObject(input)) return void 0;
  const success = member(input, "success");
  const transaction = member(input, "transaction");
  const network = member(input, "network");
  if (typeof success !== "boolean" || typeof network !== "string") return void 0;
  if (typeof transaction !== "string") return void 0;
  const status = member(input, "status");
  return {
    success,
    transaction,
    network,
    ...textMember(input, "payer"),
    ...textMember(input, "errorReason"),
    ...textMember(input, "errorMessage"),
    ...textMember(input, "amount"),
    ...textMember(input, "id"),
    ...status === "pending" || status === "confirmed" || status === "failed" ? { status } : {},
    ...objectMember(input, "extensions"),
    ...objectMember(input, "extra")
  };
}
function statusOf(response) {
  const { success, status, errorReason } = response;
  if (status === "pending") return "pending";
  if (success) {
    return status === "failed" || errorReason === "settlement_pending" ? "pending" : "confirmed";
  }
  if (status === "confirmed") return "pending";
  if (errorReason === void 0) return status ?? "pending";
  const isCode = /^[a-z0-9_]+$/.test(errorReason);
  return isCode && !unknownOutcomes.has(errorReason) ? "failed" : "pending";
}
function isTransactionHash(text2) {
  return /^0x[0-9a-fA-F]{64}$/.test(text2);
}
var unknownOutcomes;
var init_facilitator_messages = __esm({
  "packages/protocol/src/facilitator-messages.ts"() {
    init_json();
    unknownOutcomes = /* @__PURE__ */ new Set([
      "settlement_pending",
      "service_unavailable",
      "unexpected_settle_error",
      "settle_exact_evm_transaction_confirmation_timed_out",
      "settle_exact_node_failure",
      "unknown_error"
    ]);
  }
});

// packages/protocol/src/payment.ts
function parsePayment(input) {
  if (!isObject(input)) return malformed2("paymentPayload must be an object");
  const version = member(input, "x402Version");
  if (version !== 1 && version !== 2) return refuse("invalid_x402_version");
  const accepted = member(input, "accepted") ?? void 0;
  if (version === 1 || accepted === void 0) return parseFlat(input, version);
  if (!isObject(accepted)) return malformed2("accepted must be an object");
  return parseOfficialV2(input, accepted);
}
function parseOfficialV2(input, accepted) {
  const scheme = member(accepted, "scheme");
  if (typeof scheme !== "string") return malformed2("accepted.scheme must be a string");
  const networkName = member(accepted, "network");
  if (typeof networkName !== "string") return malformed2("accepted.network must be a string");
  const asset = parseWireAddress(member(accepted, "asset"));
  if (!asset) return malformed2("accepted.asset must be a 0x address of 20 bytes");
  const extra = member(accepted, "extra");
  const method = isObject(extra) ? member(extra, "assetTransferMethod") ?? "eip3009" : "eip3009";
  if (method !== "eip3009") return refuse("unsupported_transfer_method");
  const core = parseCore(input, { version: 2, shape: "v2", scheme, networkName });
  return core.ok ? accept({ ...core.value, asset, accepted }) : core;
}
function parseFlat(input, version) {
  const scheme = member(input, "scheme");
  const networkName = member(input, "network");
  if (typeof scheme !== "string" || typeof networkName !== "string") {
    return malformed2(
      version === 1 ? "a version 1 payment has the strings scheme and network beside payload" : "a version 2 payment has the chosen entry in accepted, or scheme and network beside payload"
    );
  }
  const shape = version === 1 ? "v1" : "flat-v2";
  return parseCore(input, { version, shape, scheme, networkName });
}
function parseCore(input, head) {
  if (head.scheme !== "exact") return refuse("unsupported_scheme");
  const network = findNetworkOf(head.version, head.networkName);
  if (!network) return refuse("unsupported_network", unknownNetwork);
  const payload = member(input, "payload");
  if (!isObject(payload)) return malformed2("payload must be an object");
  if (isObject(member(payload, "permit2Authorization"))) {
    return refuse("unsupported_transfer_method");
  }
  const signature = member(payload, "signature");
  if (!isHexBytes(signature, signatureBytesMax)) {
    return malformed2(`payload.signature must be 0x and at most ${signatureBytesMax} bytes`);
  }
  const authorization = parseAuthorization(member(payload, "authorization"));
  if (!authorization.ok) return authorization;
  const { version, shape, networkName } = head;
  return accept({
    shape,
    version,
    network,
    networkName,
    authorization: authorization.value,
    signature: toLowerHex(signature),
    ...objectMember(input, "resource"),
    ...objectMember(input, "extensions")
  });
}
function malformed2(message2) {
  return refuse("invalid_payload", `${message2}.`);
}
function toWirePayment(payment) {
  const { authorization, signature } = payment;
  const payload = { signature, authorization: toWireAuthorization(authorization) };
  const tail = {
    ...payment.resource === void 0 ? {} : { resource: payment.resource },
    ...payment.extensions === void 0 ? {} : { extensions: payment.extensions }
  };
  if (payment.shape === "v2") {
    return { x402Version: 2, payload, accepted: payment.accepted ?? {}, ...tail };
  }
  return {
    x402Version: payment.version,
    scheme: "exact",
    network: payment.networkName,
    payload,
    ...tail
  };
}
var signatureBytesMax;
var init_payment = __esm({
  "packages/protocol/src/payment.ts"() {
    init_address();
    init_authorization();
    init_hex();
    init_json();
    init_networks();
    init_refusals();
    init_requirements();
    signatureBytesMax = 8192;
  }
});

// packages/protocol/src/receipt.ts
function receiptHeaders(receipt) {
  const value = encodeHeader(receipt);
  return { [headerNames.paymentResponse]: value, [headerNames.xPaymentResponse]: value };
}
var init_receipt = __esm({
  "packages/protocol/src/receipt.ts"() {
    init_headers();
  }
});

// packages/protocol/src/usdc.ts
function parseUsdc(text2) {
  if (typeof text2 !== "string") return void 0;
  const match = decimalText.exec(text2.trim().replace(/^\$/, ""));
  if (!match) return void 0;
  const [, whole = "", fraction = ""] = match;
  return BigInt(whole + fraction.padEnd(usdcDecimals, "0"));
}
function formatUsdc(units) {
  const sign = units < 0n ? "-" : "";
  const digits = (units < 0n ? -units : units).toString().padStart(usdcDecimals + 1, "0");
  return `${sign}${digits.slice(0, -usdcDecimals)}.${digits.slice(-usdcDecimals)}`;
}
var decimalText;
var init_usdc = __esm({
  "packages/protocol/src/usdc.ts"() {
    init_networks();
    decimalText = new RegExp(`^(\\d{1,71})(?:\\.(\\d{1,${usdcDecimals}}))?$`);
  }
});

// packages/protocol/src/index.ts
var init_src = __esm({
  "packages/protocol/src/index.ts"() {
    init_address();
    init_authorization();
    init_challenge();
    init_error_codes();
    init_facilitator_messages();
    init_headers();
    init_hex();
    init_json();
    init_networks();
    init_payment();
    init_receipt();
    init_refusals();
    init_requirements();
    init_usdc();
  }
});

// packages/seller/src/paywall/generated/page-parts.ts
var script, scriptHash, style, styleHash;
var init_page_parts = __esm({
  "packages/seller/src/paywall/generated/page-parts.ts"() {
    script = "";
    scriptHash = "sha256-9McpJOhiMQZQPMjRsM+A5GixVibVTaAf0VYFvLrgwgM=";
    style = "";
    styleHash = "sha256-utETfDq7Qyv51ZnIh/WJyrJUnIcb/VQnQw7mcVNT/Hg=";
  }
});

// packages/seller/src/paywall/html.ts
function escapeHtml(text2) {
  return text2.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}
function toScriptJson(value) {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}
var entities;
var init_html = __esm({
  "packages/seller/src/paywall/html.ts"() {
    entities = {
      "&": "&amp;",
      "<": "&lt;",
      ">": "&gt;",
      '"': "&quot;",
      "'": "&#39;"
    };
  }
});

// packages/seller/src/paywall/page.ts
var page_exports = {};
__export(page_exports, {
  toPage: () => toPage
});
function toPage(challenge2, terms, options, nowMs) {
  const headers = new Headers(challenge2.headers);
  headers.set("Content-Type", "text/html; charset=utf-8");
  headers.set("Content-Security-Policy", policy);
  headers.set("X-Content-Type-Options", "nosniff");
  headers.set("Referrer-Policy", "same-origin");
  const said = decodeHeader(headers.get(headerNames.paymentRequired))?.value;
  return new Response(write(said, terms, options, nowMs), { status: challenge2.status, headers });
}
function write(said, { offers, resource }, { name }, nowMs) {
  const { host } = new URL(resource.url);
  const { description } = resource;
  const title = description ?? "Pay to open this page";
  const networks2 = offers.map(({ network }) => nameOf(network)).join(" or ");
  const [first] = offers;
  const seller = name === void 0 ? "" : `<strong>${escapeHtml(name)}</strong> `;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
<header id="offer">
<p class="seller">${seller}<span id="host">${escapeHtml(host)}</span></p>
<h1${description === void 0 ? ' class="plain"' : ""}>${escapeHtml(title)}</h1>
<p class="price">${first === void 0 ? "" : writeAmount(first.amount)}</p>
<dl class="facts">
<div><dt>Paid to</dt><dd>${writeAddress(first?.payTo ?? "")}</dd></div>
<div><dt>Network</dt><dd>${escapeHtml(networks2)}</dd></div>
<div><dt>Network fee</dt><dd>none for you</dd></div>
</dl>
</header>
<section id="flow">
<p>This page asks your wallet for one signature. For that it needs its script, which is not running here.</p>
</section>
<details id="program" open>
<summary>Pay from a program</summary>
<p>The same address takes x402 payments from programs. From a shell:</p>
<pre id="command" tabindex="0">npx farthing pay ${escapeHtml(quoteForShell(resource.url))}</pre>
</details>
</main>
<p id="live" role="status"></p>
<script type="application/json" id="challenge" data-now="${nowMs}">${toScriptJson(said)}</script>
<script>${script}</script>
</body>
</html>
`;
}
function writeAmount(units) {
  const [, figures = "", zeros = ""] = /^(\d+\.\d\d\d*?)(0*)$/.exec(formatUsdc(units)) ?? [];
  return `${figures}<span class="zeros">${zeros}</span> <span class="unit">USDC</span>`;
}
function nameOf({ chainId, name }) {
  return chainId === apothem.chainId ? `${name}, for tests` : name;
}
function writeAddress(address) {
  const short = `${address.slice(0, 6)}\u2026${address.slice(-4)}`;
  return `<details class="address"><summary><code>${short}</code></summary><code>${address}</code></details>`;
}
function quoteForShell(url) {
  return `'${url.replaceAll("'", "%27")}'`;
}
var policy;
var init_page = __esm({
  "packages/seller/src/paywall/page.ts"() {
    init_src();
    init_page_parts();
    init_html();
    policy = [
      "default-src 'none'",
      `script-src '${scriptHash}'`,
      `style-src '${styleHash}'`,
      "connect-src 'self'",
      "img-src data: blob:",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'"
    ].join("; ");
  }
});

// packages/seller/src/grants/shop-process.testing.ts
import { createClient } from "redis";

// packages/seller/src/adapters/listen.testing.ts
import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
async function listen(listener) {
  const server = createServer(listener);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: addressOf(server),
    close: () => new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    })
  };
}
function addressOf(server) {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server is closed.");
  return `http://127.0.0.1:${address.port}`;
}

// packages/seller/src/answers.ts
init_src();
var replayedHeader = "X-Payment-Replayed";
var exchangeHeaders = [
  headerNames.paymentRequired,
  headerNames.paymentResponse,
  headerNames.xPaymentResponse,
  headerNames.paymentCharged,
  replayedHeader
];
var cacheHeaders = /^(?:(?:[\w-]+-)?cdn-cache-control|surrogate-control|x-accel-expires)$/;
function isForCaches(name) {
  return cacheHeaders.test(name.toLowerCase());
}
var exposedHeaders = [
  headerNames.paymentRequired,
  headerNames.paymentResponse,
  headerNames.xPaymentResponse,
  headerNames.paymentCharged,
  "Retry-After",
  replayedHeader
];
var allowedHeaders = [
  "Content-Type",
  headerNames.paymentSignature,
  headerNames.xPayment,
  "Access-Control-Expose-Headers"
];
var preflightSecondsMax = 600;
function challenge(terms, why, receipt) {
  const { headers, body } = buildChallenge({ ...terms, ...why ? { error: why.error } : {} });
  const message2 = why?.message === void 0 ? {} : { message: why.message };
  return new Response(JSON.stringify({ ...body, ...message2 }), {
    status: 402,
    headers: { ...headers, ...receipt ? receiptHeaders(compact(receipt)) : {} }
  });
}
function reasonOf(refusal2) {
  return { error: refusal2.code, message: refusal2.message };
}
function say(status, body, more = {}) {
  const headers = new Headers({ "Content-Type": "application/json", "Cache-Control": "no-store" });
  if (more.retryAfterSeconds !== void 0) headers.set("Retry-After", `${more.retryAfterSeconds}`);
  if (more.receipt) addReceipt(headers, more.receipt);
  if (body.error === "not_charged") headers.set(headerNames.paymentCharged, "no");
  return new Response(JSON.stringify(body), { status, headers });
}
function refuseRequest(status, error, message2) {
  return say(status, { error, message: message2, retryable: false });
}
function content(answer, body, receipt) {
  const headers = unforged(answer.headers);
  addReceipt(headers, receipt);
  return toResponse(answer.status, headers, body);
}
function uncharged(answer, body) {
  const headers = unforged(answer.headers);
  headers.set(headerNames.paymentCharged, "no");
  return toResponse(answer.status, headers, body);
}
function unforged(given) {
  const headers = new Headers(given);
  for (const name of exchangeHeaders) headers.delete(name);
  return headers;
}
function toResponse(status, headers, body) {
  for (const name of Array.from(headers.keys()).filter(isForCaches)) headers.delete(name);
  headers.set("Cache-Control", "private, no-store");
  const hasNoBody = [204, 205, 304].includes(status);
  return new Response(hasNoBody ? null : body, { status, headers });
}
function preflight() {
  return new Response(null, {
    status: 204,
    headers: {
      "Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
      "Access-Control-Allow-Headers": allowedHeaders.join(", "),
      "Access-Control-Max-Age": `${preflightSecondsMax}`
    }
  });
}
function dress(response, allowOrigin) {
  const { headers } = response;
  addTokens(headers, "Vary", [headerNames.paymentSignature, headerNames.xPayment]);
  if (allowOrigin !== false) {
    if (!headers.has("Access-Control-Allow-Origin")) {
      headers.set("Access-Control-Allow-Origin", allowOrigin);
      if (allowOrigin !== "*") addTokens(headers, "Vary", ["Origin"]);
    }
    addTokens(headers, "Access-Control-Expose-Headers", exposedHeaders);
  }
  return response;
}
function addTokens(headers, name, tokens) {
  const present = (headers.get(name) ?? "").split(",").map((token) => token.trim());
  const known = new Set(present.map((token) => token.toLowerCase()));
  if (known.has("*") && name.toLowerCase() === "vary") return;
  const added = tokens.filter((token) => !known.has(token.toLowerCase()));
  headers.set(name, [...present.filter((token) => token !== ""), ...added].join(", "));
}
function addReceipt(headers, receipt) {
  for (const [name, value] of Object.entries(receiptHeaders(compact(receipt)))) {
    headers.set(name, value);
  }
}
var receiptCharsMax = 2048;
function compact(receipt) {
  if (JSON.stringify(receipt).length <= receiptCharsMax) return receipt;
  const { extensions: _extensions, extra, errorMessage, ...facts } = receipt;
  const settlementId = extra?.["settlementId"];
  return {
    ...facts,
    ...errorMessage === void 0 ? {} : { errorMessage: errorMessage.slice(0, 300) },
    ...typeof settlementId === "string" ? { extra: { settlementId } } : {}
  };
}

// packages/seller/src/adapters/node-body.ts
async function readNodeBody(req, parsed, bytesMax) {
  const kept = keptBody(req, parsed);
  if (kept) return kept.byteLength <= bytesMax ? kept : void 0;
  return hasBody(req) ? peekBody(req, bytesMax) : new Uint8Array();
}
function keptBody(req, body) {
  const rawBody = "rawBody" in req ? req.rawBody : void 0;
  const raw = toBytes(rawBody);
  if (raw) return raw;
  if (!hasBody(req) || !(req.readableDidRead || req.readableEnded)) return void 0;
  const parsed = toBytes(body);
  if (parsed) return parsed;
  if (typeof body === "object" && body !== null && !isMultipart(req)) {
    return new TextEncoder().encode(JSON.stringify(body));
  }
  throw new Error(
    "The request's body was read before charge() ran, and nothing tells what it was. Put charge() before the parser of this route, or keep the bytes in req.rawBody."
  );
}
function isMultipart({ headers }) {
  return /^\s*multipart\//i.test(headers["content-type"] ?? "");
}
function toBytes(body) {
  if (typeof body === "string") return new TextEncoder().encode(body);
  return body instanceof Uint8Array ? new Uint8Array(body) : void 0;
}
function hasBody(req) {
  const length = req.headers["content-length"];
  return req.headers["transfer-encoding"] !== void 0 || length !== void 0 && length !== "0";
}
async function peekBody(req, bytesMax) {
  const chunks = [];
  let size = 0;
  for (; ; ) {
    const chunk = req.read();
    if (chunk instanceof Uint8Array) {
      chunks.push(chunk);
      size += chunk.byteLength;
      if (size > bytesMax) return void 0;
    } else if (req.complete) {
      break;
    } else {
      await moreOrEnd(req);
    }
  }
  const bytes = Buffer.concat(chunks);
  if (bytes.byteLength > 0) req.unshift(bytes);
  return new Uint8Array(bytes);
}
function moreOrEnd(req) {
  return new Promise((resolve, reject) => {
    const settle = (error) => {
      req.off("readable", onReadable).off("close", onClose).off("error", settle);
      if (error) reject(error);
      else resolve();
    };
    const onReadable = () => settle();
    const onClose = () => settle(new Error("The connection closed before the request was whole."));
    req.on("readable", onReadable).on("close", onClose).on("error", settle);
  });
}

// packages/seller/src/adapters/node-capture.ts
var waitingBytesMax = 64 * 1024;
var abandonedMsMax = 3e4;
var noBodyStatuses = /* @__PURE__ */ new Set([204, 205, 304]);
function capture(res) {
  const write2 = res.write.bind(res);
  const end = res.end.bind(res);
  const writeHead = res.writeHead.bind(res);
  const flushHeaders = res.flushHeaders.bind(res);
  const caught = catchAnswer(res);
  Object.assign(res, {
    writeHead(...args) {
      applyHead(res, args);
      caught.begin();
      return res;
    },
    flushHeaders: caught.begin,
    write(chunk, encoding, callback) {
      const hasRoom = caught.put(chunk, encoding);
      const done = firstFunction(encoding, callback);
      if (done) queueMicrotask(() => done());
      return hasRoom;
    },
    end(chunk, encoding, callback) {
      const done = firstFunction(chunk, encoding, callback);
      if (done) res.once("finish", () => done());
      if (typeof chunk !== "function") caught.put(chunk ?? "", encoding);
      caught.finish();
      return res;
    }
  });
  const openHead = () => {
    Object.assign(res, { writeHead, flushHeaders });
    Reflect.deleteProperty(res, "headersSent");
  };
  return {
    answer: caught.answer,
    open() {
      openHead();
      return { write: (chunk, done) => void write2(chunk, done), end: () => void end() };
    },
    isBegun: caught.isBegun,
    fail: caught.fail,
    silence() {
      const nothing = () => res;
      Object.assign(res, {
        setHeader: nothing,
        appendHeader: nothing,
        setHeaders: nothing,
        removeHeader: nothing,
        writeHead: nothing,
        flushHeaders: nothing
      });
    },
    close() {
      openHead();
      Object.assign(res, { write: write2, end });
    }
  };
}
function catchAnswer(res) {
  let isBegun = false;
  let isOver = false;
  let body;
  const stream = new ReadableStream(
    {
      start: (controller) => void (body = controller),
      pull: () => void res.emit("drain"),
      cancel: () => void (isOver = true)
    },
    { highWaterMark: waitingBytesMax, size: (chunk) => chunk.byteLength }
  );
  let settle;
  const answer = new Promise((answered, gone) => settle = { answered, gone });
  answer.catch(() => void 0);
  function begin() {
    if (isBegun) return;
    isBegun = true;
    const { statusCode: status } = res;
    const hasBody2 = !noBodyStatuses.has(status);
    settle?.answered(new Response(hasBody2 ? stream : null, { status, headers: toHeaders(res) }));
    Object.defineProperty(res, "headersSent", { configurable: true, value: true });
  }
  const hangUp = () => {
    const gone = new Error("The connection closed before the answer was complete.");
    if (!isBegun) setTimeout(() => settle?.gone(gone), abandonedMsMax).unref();
    else if (!isOver) body?.error(gone);
    isOver ||= isBegun;
  };
  if (res.destroyed) hangUp();
  else res.once("close", hangUp);
  return {
    answer,
    begin,
    isBegun: () => isBegun,
    fail(error) {
      if (!isBegun) settle?.gone(error);
      else if (!isOver) body?.error(error);
      isOver = true;
    },
    put(chunk, encoding) {
      begin();
      if (isOver) return true;
      const bytes = toBytes2(chunk, encoding);
      if (bytes.byteLength > 0) body?.enqueue(bytes);
      return (body?.desiredSize ?? 1) > 0;
    },
    finish() {
      begin();
      if (!isOver) body?.close();
      isOver = true;
    }
  };
}
function applyHead(res, [status, ...rest]) {
  res.statusCode = Number(status);
  const headers = rest.find((value) => typeof value === "object" && value !== null);
  const list = Array.isArray(headers) ? headers.flat() : Object.entries(headers ?? {}).flat(1);
  for (let at = 0; at + 1 < list.length; at += 2) {
    const value = list[at + 1];
    res.setHeader(String(list[at]), Array.isArray(value) ? value.map(String) : String(value));
  }
}
function toHeaders(res) {
  const headers = new Headers();
  for (const [name, value] of Object.entries(res.getHeaders())) {
    const values = Array.isArray(value) ? value : [value];
    for (const one of values) if (one !== void 0) headers.append(name, String(one));
  }
  return headers;
}
function toBytes2(chunk, encoding) {
  if (typeof chunk === "string") {
    const isNamed = typeof encoding === "string" && Buffer.isEncoding(encoding);
    return Buffer.from(chunk, isNamed ? encoding : "utf8");
  }
  if (chunk instanceof Uint8Array) return new Uint8Array(chunk);
  throw new TypeError("A response takes text or bytes.");
}
function firstFunction(...values) {
  return values.find((value) => typeof value === "function");
}

// packages/seller/src/adapters/whole-answer.ts
var partialHeaders = ["if-none-match", "if-modified-since", "range", "if-range"];

// packages/seller/src/adapters/node-exchange.ts
var listHeaders = /* @__PURE__ */ new Set(["vary", "access-control-expose-headers"]);
async function chargeNode(route, exchange2) {
  const { req, res } = exchange2;
  let caught;
  const serve = (payment) => {
    for (const name of partialHeaders) delete req.headers[name];
    const catching = capture(res);
    caught = catching;
    void (async () => exchange2.work(payment))().catch((error) => catching.fail(error));
    return catching.answer;
  };
  try {
    const answer = await route.charge(toRequest(req, exchange2.url), serve, {
      readBody: (bytesMax) => readNodeBody(req, exchange2.body, bytesMax)
    });
    if (!caught?.isBegun()) exchange2.takeOver?.();
    await send(res, answer, caught);
  } catch (error) {
    caught?.close();
    exchange2.failed(error);
  }
}
function addressOf2(req) {
  const scheme = "encrypted" in req.socket && req.socket.encrypted === true ? "https" : "http";
  return `${scheme}://${req.headers.host ?? "localhost"}${req.url ?? "/"}`;
}
function toRequest(req, url) {
  const headers = new Headers();
  for (let at = 0; at + 1 < req.rawHeaders.length; at += 2) {
    const [name = "", value = ""] = req.rawHeaders.slice(at, at + 2);
    if (!name.startsWith(":")) headers.append(name, value);
  }
  return new Request(url, { method: req.method ?? "GET", headers });
}
async function send(res, answer, caught) {
  const outlet = caught ? caught.open() : res;
  for (const name of res.getHeaderNames()) {
    if (caught || isForCaches(name)) res.removeHeader(name);
  }
  res.statusCode = answer.status;
  for (const [name, value] of answer.headers) setHeader(res, name, value);
  const cookies = answer.headers.getSetCookie();
  if (cookies.length > 0) res.setHeader("Set-Cookie", cookies);
  if (caught && !caught.isBegun()) {
    res.writeHead(answer.status);
    caught.silence();
  }
  if (answer.body) {
    const closed = new Promise((resolve) => res.once("close", resolve));
    for await (const chunk of answer.body) {
      if (res.destroyed) break;
      const written = new Promise((resolve) => outlet.write(chunk, resolve));
      await Promise.race([written, closed]);
    }
  }
  outlet.end();
}
function setHeader(res, name, value) {
  const before = res.getHeader(name);
  if (name === "set-cookie") return;
  if (name === "access-control-allow-origin" && before !== void 0) return;
  if (listHeaders.has(name) && before !== void 0) {
    const merged = new Headers({ [name]: String(before) });
    addTokens(
      merged,
      name,
      value.split(",").map((token) => token.trim())
    );
    res.setHeader(name, merged.get(name) ?? value);
  } else {
    res.setHeader(name, value);
  }
}

// packages/seller/src/exchange/binding.ts
init_src();
var timeMsMax = 253402300799e3;
async function bind(request, payment, offer) {
  const { from, nonce, validBefore } = payment.authorization;
  const url = new URL(request.url);
  const [bodyHash, payload] = await Promise.all([
    sha256(request.body),
    sha256(encode(canonicalJson(toWirePayment(payment))))
  ]);
  const parts = [
    request.method.toUpperCase(),
    url.host,
    url.pathname,
    url.search,
    bodyHash,
    offer.payTo,
    offer.amount.toString(),
    ...request.boundTo === void 0 ? [] : [request.boundTo]
  ];
  return {
    key: [offer.network.id, offer.asset, from, nonce].join("/").toLowerCase(),
    // As JSON, so that no two lists of parts have the same text.
    fingerprint: await sha256(encode(JSON.stringify(parts))),
    payload,
    validBeforeMs: Math.min(Number(validBefore) * 1e3, timeMsMax)
  };
}
async function readerOf({ headers }) {
  const credentials = [headers.get("Authorization"), headers.get("Cookie")];
  const hasNone = credentials.every((one) => one === null);
  return hasNone ? void 0 : sha256(encode(JSON.stringify(credentials)));
}
function encode(text2) {
  return new TextEncoder().encode(text2);
}
async function sha256(bytes) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// packages/seller/src/clock.ts
var systemClock = {
  now: () => Date.now(),
  sleep: (ms, where) => new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    if (where === "background" && timer instanceof Object && "unref" in timer) unref(timer);
  })
};
function unref(timer) {
  if (typeof timer.unref === "function") timer.unref();
}

// packages/seller/src/configuration.ts
init_src();

// packages/seller/src/facilitator.ts
init_src();

// packages/seller/src/body.ts
async function readBytes(body, bytesMax) {
  if (body === null) return new Uint8Array();
  const head = await readHead(body, bytesMax);
  if (head.rest === void 0) return head.bytes;
  void head.rest.cancel().catch(() => void 0);
  return void 0;
}
async function readHead(body, bytesMax) {
  const reader = body.getReader();
  const chunks = [];
  let size = 0;
  while (size <= bytesMax) {
    const { done, value } = await reader.read();
    if (done) return { bytes: concatenate(chunks, size) };
    chunks.push(value);
    size += value.byteLength;
  }
  return { bytes: concatenate(chunks, size), rest: reader };
}
function resume(head) {
  return new ReadableStream({
    start(controller) {
      if (head.bytes.byteLength > 0) controller.enqueue(head.bytes);
      if (head.rest === void 0) controller.close();
    },
    async pull(controller) {
      const next = await head.rest?.read();
      if (next === void 0 || next.done) controller.close();
      else controller.enqueue(next.value);
    },
    cancel: (reason) => head.rest?.cancel(reason)
  });
}
function concatenate(chunks, size) {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}

// packages/seller/src/facilitator.ts
var callTimeoutMsDefault = 2e4;
var lookupWaitSecondsMax = 30;
var answerBytesMax = 256 * 1024;
var judgedStatuses = /* @__PURE__ */ new Set([200, 202, 400, 402, 409, 412, 422]);
var accountCodes = [
  "insufficient_facilitator_credits",
  "seller_plan_inactive",
  "payee_mismatch"
];
var retryAfterSecondsMax = 300;
function createFacilitatorClient(options) {
  const base = options.url.replace(/\/+$/, "");
  const timeoutMsMax = options.timeoutMs ?? callTimeoutMsDefault;
  const headers = { Accept: "application/json" };
  if (options.apiKey !== void 0) headers["Authorization"] = `Bearer ${options.apiKey}`;
  const post = (path, body, limit) => call(
    options.fetch,
    base + path,
    {
      method: "POST",
      headers: { ...headers, "Content-Type": "application/json" },
      body: JSON.stringify(body)
    },
    Math.min(timeoutMsMax, limit.timeoutMs)
  );
  return {
    async verify(request, limit) {
      const answer = await post("/verify", request, limit);
      return judge(answer, parseVerifyResponse, (verdict) => ({ kind: "verdict", verdict }));
    },
    async settle(request, limit) {
      const answer = await post("/settle", request, limit);
      return judge(answer, parseSettleResponse, (settlement) => ({
        kind: "settlement",
        settlement
      }));
    },
    async settlement(id, { timeoutMs, waitSeconds: waitSeconds2 }) {
      const url = `${base}/settlements/${encodeURIComponent(id)}?wait=${waitSeconds2}`;
      const answer = await call(options.fetch, url, { headers }, Math.min(timeoutMsMax, timeoutMs));
      if (answer.kind === "answer" && (answer.status === 404 || answer.status === 405)) {
        return { kind: "not_found" };
      }
      return judge(answer, parseSettleResponse, (settlement) => ({
        kind: "settlement",
        settlement
      }));
    }
  };
}
async function call(own, url, init, timeoutMs) {
  const signal = AbortSignal.timeout(Math.max(1, Math.ceil(timeoutMs)));
  const send2 = own ?? globalThis.fetch;
  try {
    const response = await send2(url, { ...init, signal, redirect: "manual" });
    const bytes = await readBytes(response.body, answerBytesMax);
    if (bytes === void 0) return fault("unreadable", "its answer is too large");
    const retryAfterSeconds = retryAfterOf(response.headers);
    return {
      kind: "answer",
      status: response.status,
      body: parseJson(new TextDecoder().decode(bytes))?.value,
      ...retryAfterSeconds === void 0 ? {} : { retryAfterSeconds }
    };
  } catch (error) {
    if (signal.aborted) return fault("timed_out", `no answer within ${Math.ceil(timeoutMs)} ms`);
    return fault("unreachable", causeOf(error));
  }
}
function judge(answer, parse, judged) {
  if (answer.kind === "fault") return answer;
  const { status, body } = answer;
  const code = isObject(body) ? textOf(body, "error") : void 0;
  const said = (isObject(body) ? textOf(body, "message") : void 0) ?? code ?? "no reason given";
  if (status === 401) return { kind: "account", code: "unauthorized", message: said };
  const account = accountCodes.find((known) => known === code);
  if (status === 403 && account) return { kind: "account", code: account, message: said };
  const value = judgedStatuses.has(status) ? parse(body) : void 0;
  if (value !== void 0) return judged(value);
  const wait = answer.retryAfterSeconds === void 0 ? {} : { retryAfterSeconds: answer.retryAfterSeconds };
  if (status === 429) return { ...fault("rate_limited", `status 429: ${said}`), ...wait };
  const reason = status === 200 ? "unreadable" : "unavailable";
  return { ...fault(reason, `status ${status}: ${said}`), ...wait };
}
function fault(reason, what) {
  return { kind: "fault", reason, message: `The facilitator could not be used: ${what}.` };
}
var textCharsMax = 300;
function textOf(body, key) {
  const value = member(body, key);
  return typeof value === "string" ? value.slice(0, textCharsMax) : void 0;
}
function causeOf(error) {
  const cause = error instanceof Error ? error.cause ?? error : void 0;
  if (cause instanceof Error && "code" in cause && typeof cause.code === "string")
    return cause.code;
  return "the connection failed";
}
function retryAfterOf(headers) {
  const text2 = headers.get("Retry-After");
  return text2 !== null && /^\d{1,6}$/.test(text2) ? Math.min(Number(text2), retryAfterSecondsMax) : void 0;
}

// packages/seller/src/paywall/options.ts
var nameCharsMax = 200;

// packages/seller/src/exchange/settle.ts
init_src();
var questionPauseMs = 250;
var settleMsMin = 1e4;
var callMsMin = 200;
async function settleAndWait({ facilitator, clock }, settling) {
  const { deadlineMs } = settling;
  let last = settling.known;
  let isReplay = false;
  let hasLookup = true;
  for (let asked = 0; ; asked++) {
    const startedAtMs = clock.now();
    const timeoutMs = deadlineMs - startedAtMs;
    if (timeoutMs < callMsMin) {
      return { settled: last ? { kind: "pending", receipt: last } : outOfTime, isReplay };
    }
    const id = last && hasLookup ? settlementIdOf(last) : void 0;
    const outcome = id ? await facilitator.settlement(id, { timeoutMs, waitSeconds: waitSeconds(timeoutMs) }) : await facilitator.settle(settling.request, { timeoutMs });
    if (id && (outcome.kind === "not_found" || outcome.kind === "account")) {
      hasLookup = false;
      continue;
    }
    if (outcome.kind === "settlement" && isBelievable(outcome.settlement, settling)) {
      const receipt = inBuyersWords(withSettlementId(outcome.settlement, last), settling);
      if (asked === 0 && !id) isReplay = isReplayed(receipt);
      const status = statusOf(receipt);
      if (status !== "pending") return { settled: { kind: status, receipt }, isReplay };
      last = asPending(receipt);
      await settling.onPending(last);
    } else if (!id) {
      const isTyped = outcome.kind === "fault" || outcome.kind === "account";
      return { settled: isTyped ? outcome : unreadable, isReplay };
    }
    const pauseMs = startedAtMs + questionPauseMs - clock.now();
    if (pauseMs > 0) await clock.sleep(pauseMs);
  }
}
function inBuyersWords(receipt, { network, networkName }) {
  return findNetwork(receipt.network) === network ? { ...receipt, network: networkName } : receipt;
}
function isBelievable(settlement, { network, payer }) {
  if (statusOf(settlement) !== "confirmed") return true;
  return isTransactionHash(settlement.transaction) && findNetwork(settlement.network) === network && (settlement.payer === void 0 || isSameAddress(settlement.payer, payer));
}
function waitSeconds(timeoutMs) {
  return Math.max(0, Math.min(lookupWaitSecondsMax, Math.floor(timeoutMs / 1e3) - 1));
}
function settlementIdOf(receipt) {
  const id = (receipt.extra && member(receipt.extra, "settlementId")) ?? receipt.id;
  return typeof id === "string" && id !== "" ? id : void 0;
}
function isReplayed(receipt) {
  return receipt.extra !== void 0 && member(receipt.extra, "replayed") === true;
}
function asPending(receipt) {
  return { ...receipt, success: false, status: "pending", errorReason: "settlement_pending" };
}
function withSettlementId(receipt, last) {
  const settlementId = settlementIdOf(receipt) ?? (last && settlementIdOf(last));
  return settlementId === void 0 ? receipt : { ...receipt, extra: { ...receipt.extra, settlementId } };
}
var unreadable = {
  kind: "fault",
  reason: "unreadable",
  message: "The facilitator's answer about the settlement contradicts itself or the payment."
};
var outOfTime = {
  kind: "fault",
  reason: "timed_out",
  message: "No time was left to ask the facilitator."
};

// packages/seller/src/configuration.ts
var ConfigurationError = class extends Error {
  field;
  constructor(field, shape, example) {
    super(`${field} must be ${shape}, for example ${example}.`);
    this.name = "ConfigurationError";
    this.field = field;
  }
};
var timeoutSecondsDefault = 120;
var timeoutSecondsMin = 30;
var timeoutSecondsMax = 24 * 60 * 60;
var waitMsDefault = 2e4;
var waitMsMax = 6e4;
var workMsDefault = 2e4;
var workMsMax = 10 * 60 * 1e3;
var signMsMin = 1e4;
var bodyBytesMaxDefault = 1024 * 1024;
var descriptionCharsMax = 500;
function parseSellerOptions(options) {
  if (typeof options.payTo !== "function") parsePayTo(options.payTo);
  const { mode = "dual", allowOrigin = "*" } = options;
  if (mode !== "dual" && mode !== "v2-only") {
    throw new ConfigurationError("mode", "one of dual and v2-only", '"dual"');
  }
  if (allowOrigin !== false && (typeof allowOrigin !== "string" || allowOrigin === "")) {
    throw new ConfigurationError("allowOrigin", "an origin, * or false", '"https://app.example"');
  }
  const publicUrl = options.publicUrl === void 0 ? {} : parsePublicUrl(options.publicUrl);
  return {
    facilitator: parseFacilitator(options.facilitator),
    networks: parseNetworks(options.network ?? "eip155:50"),
    ...publicUrl,
    mode,
    waitMs: parseInteger("waitMs", options.waitMs ?? waitMsDefault, 1, waitMsMax),
    bodyBytesMax: parseInteger(
      "bodyBytesMax",
      options.bodyBytesMax ?? bodyBytesMaxDefault,
      0,
      Number.MAX_SAFE_INTEGER
    ),
    allowOrigin,
    paywall: parsePaywall(options.paywall ?? {})
  };
}
function parseRouteOptions(options) {
  const { price, payTo, description, mimeType } = options;
  if (description !== void 0 && !isShortText(description)) {
    const shape = `text of at most ${descriptionCharsMax} characters`;
    throw new ConfigurationError("description", shape, '"One weather report"');
  }
  if (mimeType !== void 0 && !(isShortText(mimeType) && mimeType.includes("/"))) {
    throw new ConfigurationError("mimeType", "a media type", '"application/json"');
  }
  const { settle: order = "before-work" } = options;
  if (order !== "before-work" && order !== "after-success") {
    throw new ConfigurationError("settle", "before-work or after-success", '"after-success"');
  }
  const workMs = parseInteger("workMs", options.workMs ?? workMsDefault, 1, workMsMax);
  return {
    amount: typeof price === "function" ? async (request) => parsePrice(await price(request)) : parsePrice(price),
    payTo: typeof payTo === "function" ? async (request) => parsePayTo(await payTo(request)) : parsePayTo(payTo),
    order,
    workMs,
    maxTimeoutSeconds: parseInteger(
      "maxTimeoutSeconds",
      options.maxTimeoutSeconds ?? timeoutSecondsDefault,
      // The authorization has to outlive the work and its settlement.
      order === "before-work" ? timeoutSecondsMin : Math.ceil((signMsMin + workMs + settleMsMin) / 1e3),
      timeoutSecondsMax
    ),
    ...description === void 0 ? {} : { description },
    ...mimeType === void 0 ? {} : { mimeType },
    isStreamed: options.stream === true
  };
}
function parsePrice(price) {
  const amount = typeof price === "string" ? parseUsdc(price) : price;
  if (typeof amount === "bigint" && amount > 0n) return amount;
  const shape = "USDC above 0 as text with at most 6 decimals, or base units as a bigint";
  throw new ConfigurationError("price", shape, '"0.01" or 10000n');
}
function parsePayTo(text2) {
  const payTo = typeof text2 === "string" ? parseAddress(text2) : void 0;
  if (payTo && payTo !== zeroAddress) return payTo;
  const shape = "an address of 20 bytes, 0x\u2026 (with its checksum if in mixed case) or xdc\u2026";
  throw new ConfigurationError("payTo", shape, '"0x209693Bc6afc0C5328bA36FaF03C514EF312287C"');
}
function parseFacilitator(facilitator) {
  if (facilitator && "verify" in facilitator) return facilitator;
  if (!facilitator || !isHttpUrl(facilitator.url)) {
    const shape = "the facilitator's base address, http or https";
    throw new ConfigurationError("facilitator.url", shape, '"https://facilitator.example"');
  }
  const { apiKey, timeoutMs, fetch } = facilitator;
  if (apiKey !== void 0 && !(typeof apiKey === "string" && /^[\x21-\x7e]+$/.test(apiKey))) {
    const shape = "the key as the dashboard shows it, without spaces or line breaks";
    throw new ConfigurationError("facilitator.apiKey", shape, '"fk_live_\u2026"');
  }
  if (timeoutMs !== void 0) parseInteger("facilitator.timeoutMs", timeoutMs, 1, waitMsMax);
  if (fetch !== void 0 && typeof fetch !== "function") {
    throw new ConfigurationError("facilitator.fetch", "a function such as fetch", "fetch");
  }
  return createFacilitatorClient(facilitator);
}
function parsePaywall(paywall) {
  if (paywall === false) return false;
  const name = isObject(paywall) ? paywall["name"] ?? void 0 : null;
  if (name === void 0) return {};
  if (typeof name === "string" && name !== "" && name.length <= nameCharsMax) return { name };
  const shape = `false, or an object whose name has at most ${nameCharsMax} characters`;
  throw new ConfigurationError("paywall", shape, '{ name: "Weather Ltd" }');
}
function parseNetworks(input) {
  const names = typeof input === "string" ? [input] : input;
  const found = names.map((name) => findNetwork(name));
  const known = found.filter((network) => network !== void 0);
  if (known.length === 0 || known.length < found.length) {
    const shape = "eip155:50 (XDC), eip155:51 (Apothem), or a list of both";
    throw new ConfigurationError("network", shape, '"eip155:50"');
  }
  return [...new Set(known)];
}
function parsePublicUrl(text2) {
  const url = isHttpUrl(text2) ? new URL(text2) : void 0;
  if (!url || url.search !== "" || url.hash !== "" || url.username !== "") {
    const shape = "an http or https address without query, fragment and user name";
    throw new ConfigurationError("publicUrl", shape, '"https://api.example.com"');
  }
  return { publicUrl: url.href.replace(/\/+$/, "") };
}
function isHttpUrl(text2) {
  return typeof text2 === "string" && URL.canParse(text2) && /^https?:$/.test(new URL(text2).protocol);
}
function isShortText(value) {
  return typeof value === "string" && value.length <= descriptionCharsMax;
}
function parseInteger(field, value, min, max) {
  if (typeof value === "number" && Number.isInteger(value) && value >= min && value <= max) {
    return value;
  }
  throw new ConfigurationError(
    field,
    `a whole number from ${min} to ${max}`,
    `${Math.max(min, 60)}`
  );
}

// packages/seller/src/exchange/collect.ts
init_src();

// packages/seller/src/exchange/open-answers.ts
init_src();
var pendingRetrySeconds = 2;
var faultRetrySeconds = 5;
var accountRetrySeconds = 60;
var unknown = "What became of the payment is not known yet.";
var unchecked = "The payment could not be checked yet. It was not taken.";
var untouched = "The seller cannot take payments at the moment. Yours was not taken.";
function ask(at, terms, why) {
  const { url } = terms.resource;
  at.emit({ type: "challenged", url, ...why ? { reason: why.error } : {} });
  return challenge(terms, why);
}
function later(error, what, more) {
  const message2 = `${what} Repeat the request with the same payment; do not sign a new one.`;
  return say(503, { error, message: message2, retryable: true }, more);
}
function answerUnpaid(at, purchase, settled, pending) {
  const { url } = purchase.terms.resource;
  const receipt = pending ? { receipt: pending } : {};
  if (settled.kind === "fault") return answerFault(at, url, settled, receipt);
  if (settled.kind === "account") return answerAccountProblem(at, url, settled, receipt);
  if (settled.kind === "failed") return answerFailed(at, purchase, settled.receipt);
  if (settled.kind === "confirmed") return alreadySettled(at, purchase, settled.receipt);
  at.emit({ type: "pending", url, receipt: settled.receipt });
  return later("settlement_pending", "The transfer is under way.", {
    receipt: settled.receipt,
    retryAfterSeconds: pendingRetrySeconds
  });
}
function answerFailed(at, purchase, receipt) {
  const { errorReason, errorMessage } = receipt;
  if (isNonceUsed(errorReason)) return alreadySettled(at, purchase, receipt);
  at.emit({ type: "failed", url: purchase.terms.resource.url, receipt });
  const why = { error: errorReason ?? "settlement_failed", ...message(errorMessage) };
  return challenge(purchase.terms, why, receipt);
}
function answerFault(at, url, fault2, { what = unknown, ...receipt }) {
  at.emit({ type: "facilitator_fault", url, fault: fault2 });
  const retryAfterSeconds = fault2.retryAfterSeconds ?? faultRetrySeconds;
  return later("facilitator_unavailable", what, { ...receipt, retryAfterSeconds });
}
function answerAccountProblem(at, url, problem, receipt) {
  at.emit({ type: "account_problem", url, problem });
  const what = receipt.receipt ? "The transfer is under way." : untouched;
  return later("seller_account_problem", what, {
    ...receipt,
    retryAfterSeconds: accountRetrySeconds
  });
}
function alreadyDelivered(receipt) {
  const message2 = "This payment has opened its one response, which is not kept any more, or was made for a request with other credentials.";
  return say(409, { error: "already_delivered", message: message2, retryable: false }, { receipt });
}
function alreadySettled(at, purchase, receipt) {
  const message2 = "This payment was used before, and this server does not know for which request. If you did not get your content, show the seller the receipt in this answer's headers.";
  return unserved(at, purchase, receipt, { error: "already_settled", message: message2 });
}
function stillOpen() {
  return later("settlement_pending", unknown, { retryAfterSeconds: faultRetrySeconds });
}
function outcomeUnknown(at, purchase, receipt) {
  const message2 = "The facilitator does not take this payment any more, and does not tell whether it moved money before. Look at your wallet before you sign another one.";
  return unserved(at, purchase, receipt, { error: "outcome_unknown", message: message2 });
}
function unserved(at, purchase, receipt, why) {
  at.emit({ type: "unserved", url: purchase.terms.resource.url, receipt });
  return say(409, { ...why, retryable: false }, { receipt });
}
var nonceUsedReasons = /* @__PURE__ */ new Set(["nonce_already_used", x402ReasonOf("nonce_already_used")]);
var expiredReasons = /* @__PURE__ */ new Set(["authorization_expired", x402ReasonOf("authorization_expired")]);
function isNonceUsed(reason) {
  return reason !== void 0 && nonceUsedReasons.has(reason);
}
function isCanceled({ errorReason }) {
  return errorReason === "authorization_canceled";
}
function isExpired(reason) {
  return reason !== void 0 && expiredReasons.has(reason);
}
function whyInvalid({ invalidReason, invalidMessage }) {
  return { error: invalidReason ?? "payment_invalid", ...message(invalidMessage) };
}
function message(text2) {
  return text2 === void 0 ? {} : { message: text2 };
}

// packages/seller/src/exchange/collect.ts
var LeaseLostError = class extends Error {
  constructor() {
    super("The lease on this payment has expired.");
    this.name = "LeaseLostError";
  }
};
function checkHeld(isHeld) {
  if (!isHeld) throw new LeaseLostError();
}
async function giveBack(lease) {
  checkHeld(await lease.release());
}
async function verify(at, purchase, lease, deadlineMs) {
  const outcome = await at.facilitator.verify(purchase.request, {
    timeoutMs: deadlineMs - at.clock.now()
  });
  const isValid = outcome.kind === "verdict" && outcome.verdict.isValid;
  if (isValid && deadlineMs - at.clock.now() >= callMsMin) return void 0;
  const answer = await answerUnverified(at, purchase, outcome, deadlineMs);
  await giveBack(lease);
  return answer;
}
async function answerUnverified(at, purchase, outcome, deadlineMs) {
  const { url } = purchase.terms.resource;
  if (outcome.kind === "fault") return answerFault(at, url, outcome, { what: unchecked });
  if (outcome.kind === "account") return answerAccountProblem(at, url, outcome, {});
  const { verdict } = outcome;
  if (verdict.isValid)
    return later("facilitator_unavailable", untouched, { retryAfterSeconds: faultRetrySeconds });
  return isNonceUsed(verdict.invalidReason) ? findOut(at, purchase, deadlineMs) : ask(at, purchase.terms, whyInvalid(verdict));
}
async function findOut(at, purchase, deadlineMs) {
  const wait = { deadlineMs, onPending: async () => void 0 };
  const { settled } = await settlePurchase(at, purchase, wait);
  const isDoubtful = settled.kind === "failed" && !isProven(settled.receipt) && !isCanceled(settled.receipt);
  if (isDoubtful) return alreadySettled(at, purchase, settled.receipt);
  return answerUnpaid(at, purchase, settled);
}
async function collect(at, purchase, lease, { deadlineMs, answer }) {
  if (lease.state === "paid" && lease.receipt) return { kind: "paid", receipt: lease.receipt };
  const isResumed = lease.state === "settling";
  if (!isResumed) checkHeld(await lease.settling(answer ? { answer } : {}));
  let pending = lease.receipt;
  const { settled, isReplay } = await settlePurchase(at, purchase, {
    deadlineMs,
    ...pending ? { known: pending } : {},
    onPending: async (receipt) => {
      pending = receipt;
      checkHeld(await lease.settling({ receipt }));
    }
  });
  const isForeign = isReplay && !isResumed;
  if (settled.kind === "confirmed" && !isForeign) {
    return { kind: "paid", receipt: settled.receipt };
  }
  if (isResumed && settled.kind === "failed") {
    const doubtful = answerDoubtful(at, purchase, settled.receipt);
    if (doubtful) return doubtful;
  }
  const isUnsent = settled.kind === "account" && !isResumed && !pending;
  const isOver = settled.kind === "failed" || isUnsent || isForeign;
  const response = answerUnpaid(at, purchase, settled, pending);
  if (isOver) await giveBack(lease);
  return { kind: isOver ? "refused" : "open", response };
}
var overMsMin = 3e4;
function answerDoubtful(at, purchase, receipt) {
  const { errorReason } = receipt;
  if (isNonceUsed(errorReason)) {
    return { kind: "refused", response: alreadySettled(at, purchase, receipt) };
  }
  if (isProven(receipt)) return void 0;
  const isOver = at.clock.now() >= purchase.binding.validBeforeMs + overMsMin;
  if (hasLookedItUp(receipt)) {
    return isOver ? void 0 : { kind: "open", response: stillOpen() };
  }
  return isOver || isExpired(errorReason) ? { kind: "refused", response: outcomeUnknown(at, purchase, receipt) } : { kind: "open", response: stillOpen() };
}
function isProven(receipt) {
  return receipt.transaction !== "" || settlementIdOf(receipt) !== void 0;
}
function hasLookedItUp({ extra }) {
  return extra !== void 0 && typeof member(extra, "x402Reason") === "string";
}
function settlePurchase({ facilitator, clock }, { request, offer, payment }, wait) {
  const { network } = offer;
  const { networkName } = payment;
  const payer = payment.authorization.from;
  const about = { request, network, networkName, payer };
  return settleAndWait({ facilitator, clock }, { ...about, ...wait });
}

// packages/seller/src/exchange/sale.ts
function factsBefore({ payment, offer }) {
  return {
    payer: payment.authorization.from,
    amount: offer.amount.toString(),
    network: offer.network.id
  };
}
function factsAfter(purchase, receipt) {
  const settlementId = settlementIdOf(receipt);
  return {
    ...factsBefore(purchase),
    transaction: receipt.transaction,
    ...settlementId === void 0 ? {} : { settlementId }
  };
}

// packages/seller/src/exchange/continuation.ts
var followedMax = 1e3;
var followMsMax = 10 * 60 * 1e3;
var pauseMsMin = 1e3;
var pauseMsMax = 3e4;
function createContinuations(around) {
  const followed = /* @__PURE__ */ new Set();
  async function run(purchase) {
    const { clock } = around();
    const untilMs = clock.now() + followMsMax;
    let pauseMs = pauseMsMin;
    while (clock.now() + pauseMs < untilMs) {
      await clock.sleep(pauseMs, "background");
      if (await goOn(around(), purchase)) return;
      pauseMs = Math.min(2 * pauseMs, pauseMsMax);
    }
  }
  return {
    follow({ payment, offer, binding, request, terms, isFormer }) {
      if (followed.has(binding.key) || followed.size >= followedMax) return;
      followed.add(binding.key);
      run({ payment, offer, binding, request, terms, isFormer }).catch(() => void 0).finally(() => followed.delete(binding.key));
    }
  };
}
async function goOn(at, purchase) {
  const take = await at.grants.take(purchase.binding);
  if (take.kind !== "taken") return take.kind !== "busy";
  const { lease } = take;
  try {
    if (lease.state === "claimed") return await lease.release();
    if (lease.state === "paid" || !(lease.answer ?? lease.receipt)) return true;
    const deadlineMs = at.clock.now() + at.waitMs;
    const collected = await collect(at, purchase, lease, { deadlineMs });
    if (collected.kind !== "paid") return collected.kind === "refused";
    if (!await lease.paid(collected.receipt)) return true;
    const { url } = purchase.terms.resource;
    at.emit({ type: "settled", url, payment: factsAfter(purchase, collected.receipt) });
    return true;
  } finally {
    await lease.leave();
  }
}

// packages/seller/src/events.ts
var warnOnConsole = (event) => {
  if (event.type === "account_problem") {
    const { code, message: message2 } = event.problem;
    warn(`Payments stand still: the facilitator answers ${code} (${message2}).`);
  } else if (event.type === "facilitator_fault") {
    warn("The facilitator does not answer as it should; buyers are asked to repeat.", event.fault);
  } else if (event.type === "undelivered") {
    const { transaction } = event.payment;
    warn(`A paid request was not answered (transaction ${transaction}).`, event.error);
  } else if (event.type === "unserved") {
    const { transaction, payer = "unknown" } = event.receipt;
    warn(
      `A used payment opened nothing (payer ${payer}, transaction ${transaction || "unknown"}).`
    );
  } else if (event.type === "uncharged" && event.error !== void 0) {
    warn("A request with a good payment was not answered, and not charged.", event.error);
  } else if (event.type === "broken") {
    warn("A request could not be handled.", event.error);
  } else if (event.type === "full") {
    warn("No payment can be taken: the store of grants is full.");
  }
};
function warn(...parts) {
  console.warn("@farthing/seller:", ...parts);
}

// packages/seller/src/exchange/delivery.ts
var failureStatusMin = 500;
var retrySeconds = 5;
var unrepeatedHeaders = /* @__PURE__ */ new Set(["set-cookie", "set-cookie2"]);
async function make(sale, facts, bytesMax) {
  const answer = await sale.serve(facts);
  if (!answer.body || isStream(sale, answer)) return { answer, body: answer.body };
  const head = await readHead(answer.body, bytesMax);
  return { answer, body: head.rest ? resume(head) : head.bytes };
}
function makeWithin(sale, facts, bytesMax, timeoutMs) {
  const making = make(sale, facts, bytesMax);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      resolve(void 0);
      making.then(drop, () => void 0);
    }, timeoutMs);
    making.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
function drop({ body }) {
  if (body instanceof ReadableStream) void body.cancel().catch(() => void 0);
}
function toStored({ answer, body }, { reader }) {
  if (body instanceof ReadableStream) return void 0;
  const headers = [...answer.headers].filter(([name]) => !unrepeatedHeaders.has(name));
  const stored = { status: answer.status, headers, body: body ?? new Uint8Array() };
  return { ...stored, ...reader === void 0 ? {} : { reader } };
}
function answerFor({ reader }, kept) {
  const isForAnyone = kept?.reader === void 0;
  return isForAnyone || kept.reader === reader ? kept : void 0;
}
function handOut({ answer, body }, receipt) {
  return content(answer, body, receipt);
}
async function deliver(at, sale, { lease, receipt, facts }) {
  const { url } = sale.terms.resource;
  const failed = (status2, error) => {
    at.emit({ type: "undelivered", url, payment: facts, error });
    return undelivered(status2, receipt);
  };
  let made;
  try {
    made = await makeWithin(sale, facts, at.grants.answerBytesMax, workMsMax);
  } catch (error) {
    return failed(failureStatusMin, error);
  }
  if (!made) return failed(504, new Error(`The answer was not made within ${workMsMax} ms.`));
  const { status, ok } = made.answer;
  if (sale.order === "after-success" ? !ok : status >= failureStatusMin) {
    drop(made);
    const error = new Error(`The seller's code answered ${status}.`);
    return failed(Math.max(status, failureStatusMin), error);
  }
  checkHeld(await lease.deliver(receipt, toStored(made, sale)));
  at.emit({ type: "delivered", url, payment: facts });
  return handOut(made, receipt);
}
async function handOutKept(at, sale, { lease, receipt, facts }, answer) {
  checkHeld(await lease.deliver(receipt));
  at.emit({ type: "delivered", url: sale.terms.resource.url, payment: facts });
  return fromStored(answer, receipt);
}
function replay(answer, receipt) {
  const response = fromStored(answer, receipt);
  response.headers.set(replayedHeader, "true");
  return response;
}
function fromStored(answer, receipt) {
  const headers = new Headers(answer.headers.map(([name, value]) => [name, value]));
  const body = answer.body.byteLength === 0 ? null : answer.body;
  return content({ status: answer.status, headers }, body, receipt);
}
function isStream(sale, answer) {
  const type = answer.headers.get("Content-Type") ?? "";
  return sale.isStreamed || type.startsWith("text/event-stream");
}
function undelivered(status, receipt) {
  const message2 = `Your payment was taken (transaction ${receipt.transaction}), and the seller could not make the answer. Repeat the same request with the same payment soon: it costs nothing more.`;
  const body = { error: "paid_undelivered", message: message2, retryable: true };
  return say(status, body, { receipt, retryAfterSeconds: retrySeconds });
}

// packages/seller/src/exchange/after-success.ts
async function serveAfterSuccess(at, sale, lease, deadlineMs) {
  const late = answerTooLate(at, sale);
  const refused = late ?? await verify(at, sale, lease, deadlineMs);
  if (late) await giveBack(lease);
  if (refused) return refused;
  const startedAtMs = at.clock.now();
  const made = await makeInTime(at, sale);
  if (made instanceof Response) {
    await giveBack(lease);
    return made;
  }
  const answer = toStored(made, sale);
  const collected = await collect(at, sale, lease, {
    // The work has its own limit: what it took is not taken from the settlement.
    deadlineMs: deadlineMs + at.clock.now() - startedAtMs,
    ...answer ? { answer } : {}
  });
  if (collected.kind === "paid") {
    const { receipt } = collected;
    checkHeld(await lease.deliver(receipt));
    const { url } = sale.terms.resource;
    at.emit({ type: "delivered", url, payment: factsAfter(sale, receipt) });
    return handOut(made, receipt);
  }
  drop(made);
  if (collected.kind === "open") at.continuations.follow(sale);
  return collected.response;
}
function answerTooLate(at, { binding, terms, workMs }) {
  if (binding.validBeforeMs - at.clock.now() >= workMs + settleMsMin) return void 0;
  const message2 = "The authorization ends before the answer could be made and settled.";
  return ask(at, terms, { error: "authorization_expired", message: message2 });
}
async function makeInTime(at, sale) {
  const { url } = sale.terms.resource;
  const payment = factsBefore(sale);
  const fail = (status2, error) => {
    at.emit({ type: "uncharged", url, payment, status: status2, error });
    const message2 = "The seller could not make the answer, and nothing was charged. Repeat the request with the same payment if you still want it, or let the payment end unused.";
    const body = { error: "not_charged", message: message2, retryable: true };
    return say(status2, body, { retryAfterSeconds: retrySeconds });
  };
  let made;
  try {
    made = await makeWithin(sale, payment, at.grants.answerBytesMax, sale.workMs);
  } catch (error) {
    return fail(statusOf2(error), error);
  }
  if (!made) return fail(504, new Error(`The answer was not made within ${sale.workMs} ms.`));
  if (made.answer.ok) return made;
  const { status } = made.answer;
  at.emit({ type: "uncharged", url, payment, status });
  return uncharged(made.answer, made.body);
}
function statusOf2(error) {
  if (typeof error !== "object" || error === null) return 500;
  const status = "statusCode" in error ? error.statusCode : void 0;
  return typeof status === "number" && status >= 500 && status <= 599 ? status : 500;
}

// packages/seller/src/exchange/before-work.ts
async function serveAfterPayment(at, sale, lease, deadlineMs) {
  if (lease.state === "claimed") {
    const unverified = await verify(at, sale, lease, deadlineMs);
    if (unverified) return unverified;
  }
  const collected = await collect(at, sale, lease, { deadlineMs });
  if (collected.kind !== "paid") return collected.response;
  const { receipt } = collected;
  const paid = { lease, receipt, facts: factsAfter(sale, receipt) };
  const answer = answerFor(sale, lease.answer);
  if (answer) return handOutKept(at, sale, paid, answer);
  if (lease.state !== "paid") checkHeld(await lease.paid(receipt));
  return deliver(at, sale, paid);
}

// packages/seller/src/exchange/exchange.ts
async function exchange(at, sale) {
  try {
    return await takeAndWork(at, sale);
  } catch (error) {
    at.emit({ type: "broken", url: sale.terms.resource.url, error });
    return later("busy", "The seller could not look up or record your payment.", {
      retryAfterSeconds: faultRetrySeconds
    });
  }
}
async function takeAndWork(at, sale) {
  const { grants, clock } = at;
  const { url } = sale.terms.resource;
  const deadlineMs = clock.now() + at.waitMs;
  for (; ; ) {
    const take = await grants.take(sale.binding);
    switch (take.kind) {
      case "taken":
        return work(at, sale, take.lease, deadlineMs);
      case "delivered": {
        const { receipt } = take;
        const answer = answerFor(sale, take.answer);
        at.emit({ type: "repeated", url, receipt, isKept: answer !== void 0 });
        return answer ? replay(answer, receipt) : alreadyDelivered(receipt);
      }
      case "bound":
        at.emit({ type: "conflict", url });
        return say(409, {
          error: "payment_bound_elsewhere",
          message: "This payment belongs to another request; one payment opens one response.",
          retryable: false
        });
      case "full":
        at.emit({ type: "full", url });
        return later("busy", "Too many payments are under way. Yours was not taken.", {
          retryAfterSeconds: faultRetrySeconds
        });
      case "busy": {
        const leftMs = deadlineMs - clock.now();
        if (leftMs > 0 && await grants.wait(sale.binding.key, leftMs)) break;
        return stillBusy();
      }
    }
  }
}
async function work(at, sale, lease, deadlineMs) {
  const isFresh = lease.state === "claimed";
  const serve = sale.order === "after-success" && isFresh ? serveAfterSuccess : serveAfterPayment;
  try {
    if (!isFresh || !sale.isFormer) return await serve(at, sale, lease, deadlineMs);
    await giveBack(lease);
    return ask(at, sale.terms);
  } catch (error) {
    if (!(error instanceof LeaseLostError)) throw error;
    at.emit({ type: "broken", url: sale.terms.resource.url, error });
    return stillBusy();
  } finally {
    await lease.leave().catch(() => void 0);
  }
}
function stillBusy() {
  return later("settlement_pending", "This payment is being worked on.", {
    retryAfterSeconds: pendingRetrySeconds
  });
}

// packages/seller/src/grants/grant-times.ts
var replayMsMax = 10 * 60 * 1e3;
var undeliveredMsMax = 30 * 60 * 1e3;
var settlingMsMax = 24 * 60 * 60 * 1e3;
var deliveredMsMax = 24 * 60 * 60 * 1e3;
var leaseMsDefault = 15e3;
var answerBytesMaxDefault = 1024 * 1024;

// packages/seller/src/grants/memory-grants.ts
var entriesMaxDefault = 2e4;
var totalBytesMaxDefault = 64 * 1024 * 1024;
var waitersMax = 64;
function createMemoryGrants(options = {}) {
  const entriesMax = options.entriesMax ?? entriesMaxDefault;
  const answerBytesMax2 = options.answerBytesMax ?? answerBytesMaxDefault;
  const totalBytesMax = options.totalBytesMax ?? totalBytesMaxDefault;
  const now = options.now ?? Date.now;
  const replayMs = Math.min(options.replayMs ?? replayMsMax, replayMsMax);
  const entries = /* @__PURE__ */ new Map();
  let totalBytes = 0;
  function dropAnswer(entry) {
    totalBytes -= entry.answer?.body.byteLength ?? 0;
    delete entry.answer;
  }
  function drop2(entry) {
    dropAnswer(entry);
    entries.delete(entry.binding.key);
    free(entry);
  }
  function makeRoom2() {
    if (entries.size < entriesMax) return true;
    for (const entry of entries.values()) if (entry.expiresAtMs <= now()) drop2(entry);
    if (entries.size < entriesMax) return true;
    for (const entry of entries.values()) {
      if (entry.state !== "delivered") continue;
      drop2(entry);
      return true;
    }
    return false;
  }
  function store(entry, answer) {
    const size = answer.body.byteLength;
    if (size > answerBytesMax2 || size > totalBytesMax) return;
    for (const other of entries.values()) {
      if (totalBytes + size <= totalBytesMax) break;
      if (other.state === "delivered") dropAnswer(other);
      else if (other.holder === void 0 && other.expiresAtMs <= now()) drop2(other);
    }
    if (totalBytes + size > totalBytesMax) return;
    dropAnswer(entry);
    entry.answer = answer;
    totalBytes += size;
  }
  return {
    answerBytesMax: answerBytesMax2,
    keptBytes: () => totalBytes,
    async take(binding) {
      let entry = entries.get(binding.key);
      if (entry && entry.expiresAtMs <= now()) {
        drop2(entry);
        entry = void 0;
      }
      if (!entry) {
        if (!makeRoom2()) return { kind: "full" };
        entry = newEntry(binding, now() + settlingMsMax);
        entries.set(binding.key, entry);
        return { kind: "taken", lease: createLease(entry, { now, replayMs, drop: drop2, store }) };
      }
      if (!isSame(entry.binding, binding)) return { kind: "bound" };
      if (entry.state === "delivered" && entry.receipt) {
        if (entry.answerUntilMs <= now()) dropAnswer(entry);
        const { receipt, answer } = entry;
        return { kind: "delivered", receipt, ...answer ? { answer } : {} };
      }
      if (entry.holder) return { kind: "busy" };
      return { kind: "taken", lease: createLease(entry, { now, replayMs, drop: drop2, store }) };
    },
    async has(binding) {
      const entry = entries.get(binding.key);
      return entry !== void 0 && entry.expiresAtMs > now() && isSame(entry.binding, binding);
    },
    async wait(key, timeoutMs) {
      const entry = entries.get(key);
      if (!entry?.holder) return true;
      return entry.waiters.size < waitersMax && waitForHolder(entry, timeoutMs);
    }
  };
}
function isSame(one, other) {
  return one.fingerprint === other.fingerprint && one.payload === other.payload;
}
function newEntry(binding, expiresAtMs) {
  return {
    binding,
    state: "claimed",
    answerUntilMs: 0,
    expiresAtMs,
    holder: void 0,
    waiters: /* @__PURE__ */ new Set()
  };
}
function createLease(entry, keeping) {
  const { now } = keeping;
  const token = {};
  entry.holder = token;
  const whileHeld = (change) => async () => {
    if (entry.holder !== token) return false;
    change();
    return true;
  };
  return {
    state: entry.state === "delivered" ? "claimed" : entry.state,
    ...entry.receipt ? { receipt: entry.receipt } : {},
    ...entry.answer ? { answer: entry.answer } : {},
    settling: ({ receipt, answer } = {}) => whileHeld(() => {
      entry.state = "settling";
      if (receipt) entry.receipt = receipt;
      if (answer) keeping.store(entry, answer);
      entry.expiresAtMs = now() + settlingMsMax;
    })(),
    paid: (receipt) => whileHeld(() => {
      entry.state = "paid";
      entry.receipt = receipt;
      entry.expiresAtMs = now() + undeliveredMsMax;
    })(),
    deliver: (receipt, answer) => whileHeld(() => {
      entry.state = "delivered";
      entry.receipt = receipt;
      entry.answerUntilMs = Math.min(entry.binding.validBeforeMs, now() + keeping.replayMs);
      entry.expiresAtMs = now() + deliveredMsMax;
      if (answer) keeping.store(entry, answer);
      free(entry);
    })(),
    release: whileHeld(() => keeping.drop(entry)),
    leave: whileHeld(() => free(entry))
  };
}
function free(entry) {
  entry.holder = void 0;
  const waiters = [...entry.waiters];
  entry.waiters.clear();
  for (const wake of waiters) wake();
}
function waitForHolder(entry, timeoutMs) {
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      resolve(true);
    };
    const timer = setTimeout(() => {
      entry.waiters.delete(wake);
      resolve(false);
    }, timeoutMs);
    entry.waiters.add(wake);
  });
}

// packages/seller/src/paywall/prefers-html.ts
function prefersHtml({ method, headers }) {
  if (method !== "GET") return false;
  if ((headers.get("Sec-Fetch-Mode") ?? "navigate") !== "navigate") return false;
  const accept2 = headers.get("Accept") ?? "";
  const html = wishFor("text/html", accept2);
  const json = wishFor("application/json", accept2);
  if (html.exactness < 2 || html.quality === 0) return false;
  if (html.quality !== json.quality) return html.quality > json.quality;
  return html.exactness > json.exactness;
}
function wishFor(type, accept2) {
  const ranges = [type, type.replace(/\/.*/, "/*"), "*/*"];
  const wishes = accept2.split(",").flatMap((part) => {
    const [range = "", ...parameters] = part.split(";").map((text2) => text2.trim().toLowerCase());
    const place = ranges.indexOf(range);
    if (place < 0) return [];
    const quality = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    return [{ quality: quality === void 0 ? 1 : Number(quality) || 0, exactness: 2 - place }];
  });
  const none = { quality: 0, exactness: -1 };
  return wishes.reduce((best, wish) => wish.exactness > best.exactness ? wish : best, none);
}

// packages/seller/src/paywall/offer-page.ts
async function offerPage(challenge2, terms, request, options, nowMs) {
  if (options === false) return challenge2;
  addTokens(challenge2.headers, "Vary", ["Accept"]);
  if (!prefersHtml(request)) return challenge2;
  const { toPage: toPage2 } = await Promise.resolve().then(() => (init_page(), page_exports));
  return toPage2(challenge2, terms, options, nowMs);
}

// packages/seller/src/presented-payment.ts
init_src();
function readPresentedPayment(headers) {
  const second = headers.get(headerNames.paymentSignature);
  const first = headers.get(headerNames.xPayment);
  if (second !== null && first !== null) return { kind: "ambiguous" };
  const text2 = (second ?? first)?.trim();
  if (text2 === void 0 || text2 === "") return { kind: "none" };
  if (text2.includes(",")) return { kind: "ambiguous" };
  if (text2.length > headerCharsMax) return { kind: "too_large" };
  const decoded = decodeHeader(text2);
  if (!decoded) return { kind: "refused", refusal: refusal("invalid_payload", notDecodable) };
  const parsed = parsePayment(decoded.value);
  return parsed.ok ? { kind: "payment", payment: parsed.value } : { kind: "refused", refusal: parsed.refusal };
}
var notDecodable = "The payment header must be standard base64 of the JSON payment.";

// packages/seller/src/exchange/purchase.ts
init_src();

// packages/seller/src/offer.ts
init_src();
function offersOf(terms) {
  return terms.networks.map((network) => ({
    version: 2,
    network,
    networkName: network.id,
    asset: network.usdc,
    amount: terms.amount,
    payTo: terms.payTo,
    maxTimeoutSeconds: terms.maxTimeoutSeconds,
    domainName: network.domain.name,
    domainVersion: network.domain.version
  }));
}
function matchOffer(offers, payment, isOwnUrl) {
  const offer = offers.find(({ network }) => network === payment.network);
  if (!offer) {
    const offered = offers.map(({ network }) => network.id).join(", ");
    return refuse("network_mismatch", `This resource is paid on ${offered}.`);
  }
  const { value, to } = payment.authorization;
  if (value !== offer.amount) return wrongAmount("authorization.value", offer);
  if (!isSameAddress(to, offer.payTo)) return wrongPayee("authorization.to", offer);
  if (payment.accepted) {
    const checked = checkAccepted(payment.accepted, offer);
    if (!checked.ok) return checked;
  }
  const url = payment.resource && member(payment.resource, "url");
  if (url !== void 0 && url !== null && !(typeof url === "string" && isOwnUrl(url))) {
    return refuse("invalid_payload", "resource.url names another resource than this one.");
  }
  return accept(offer);
}
function checkAccepted(accepted, offer) {
  const asset = member(accepted, "asset");
  if (typeof asset !== "string" || !isSameAddress(asset, offer.asset)) {
    return refuse("asset_mismatch", `accepted.asset must be ${offer.asset}, native USDC.`);
  }
  if (parseUint256(member(accepted, "amount")) !== offer.amount) {
    return wrongAmount("accepted.amount", offer);
  }
  const payTo = member(accepted, "payTo");
  if (typeof payTo !== "string" || !isSameAddress(payTo, offer.payTo)) {
    return wrongPayee("accepted.payTo", offer);
  }
  const extra = member(accepted, "extra");
  if (!isObject(extra)) return accept(void 0);
  const { name, version } = offer.network.domain;
  const hasOtherName = (member(extra, "name") ?? name) !== name;
  const hasOtherVersion = (member(extra, "version") ?? version) !== version;
  return hasOtherName || hasOtherVersion ? refuse("token_domain_mismatch", `The token's EIP-712 domain is ${name}, version ${version}.`) : accept(void 0);
}
function wrongAmount(field, offer) {
  return refuse("amount_mismatch", `${field} must be exactly ${offer.amount} base units of USDC.`);
}
function wrongPayee(field, offer) {
  return refuse("pay_to_mismatch", `${field} must be ${offer.payTo}.`);
}

// packages/seller/src/exchange/purchase.ts
async function openPurchase(at, presented) {
  const { payment, terms, bodyBytesMax } = presented;
  const isOwnUrl = ownUrl(terms.resource.url, presented.isPublic);
  const match = matchOffer(terms.offers, payment, isOwnUrl);
  const offer = match.ok ? match.value : formerOffer(terms.offers, payment, isOwnUrl);
  if (!offer) return refuse2(at, presented, match);
  const body = await readBody(presented);
  if (!body) {
    const message2 = `A paid request has at most ${bodyBytesMax} bytes of body.`;
    return refuseRequest(413, "request_too_large", message2);
  }
  const { url } = terms.resource;
  const { boundTo, request: asked } = presented;
  const bound = { method: asked.method, url, body, ...boundTo === void 0 ? {} : { boundTo } };
  const binding = await bind(bound, payment, offer);
  const isFormer = !match.ok;
  if (isFormer && !await at.grants.has(binding)) return refuse2(at, presented, match);
  const request = toFacilitatorRequest(payment, offer, terms);
  return { payment, offer, binding, terms, request, isFormer };
}
function refuse2(at, { terms }, match) {
  return ask(at, terms, match.refusal && reasonOf(match.refusal));
}
function formerOffer(offers, payment, isOwnUrl) {
  const { value: amount, to: payTo } = payment.authorization;
  const [today] = offers;
  if (!today) return void 0;
  const { maxTimeoutSeconds } = today;
  const former = offersOf({ networks: [payment.network], amount, payTo, maxTimeoutSeconds });
  const match = matchOffer(former, payment, isOwnUrl);
  return match.ok ? match.value : void 0;
}
function ownUrl(url, isPublic) {
  const own = new URL(url);
  return (given) => {
    if (!URL.canParse(given)) return false;
    const other = new URL(given);
    if (isPublic) return other.href === own.href;
    return other.pathname === own.pathname && other.search === own.search;
  };
}
async function readBody({
  request,
  bodyBytesMax,
  readBody: own
}) {
  if (own) return own(bodyBytesMax);
  return request.body ? readBytes(request.clone().body, bodyBytesMax) : new Uint8Array();
}
function toFacilitatorRequest(payment, offer, terms) {
  const entry = toRequirementsV2(offer);
  const { authorization, signature } = payment;
  return {
    x402Version: 2,
    paymentPayload: {
      x402Version: 2,
      payload: { signature, authorization: toWireAuthorization(authorization) },
      accepted: { ...entry },
      resource: { ...terms.resource },
      ...payment.extensions === void 0 ? {} : { extensions: payment.extensions }
    },
    paymentRequirements: entry
  };
}

// packages/seller/src/quote.ts
function createQuote(networks2, route) {
  const { amount, payTo, maxTimeoutSeconds } = route;
  if (typeof amount === "bigint" && typeof payTo === "string") {
    const offers = offersOf({ networks: networks2, amount, payTo, maxTimeoutSeconds });
    return async () => offers;
  }
  return async (request) => {
    const asked = new Request(request.url, { method: request.method, headers: request.headers });
    return offersOf({
      networks: networks2,
      amount: typeof amount === "bigint" ? amount : await amount(asked),
      payTo: typeof payTo === "string" ? payTo : await payTo(asked),
      maxTimeoutSeconds
    });
  };
}

// packages/seller/src/seller.ts
function createSeller(options, clock = systemClock) {
  const configuration = parseSellerOptions(options);
  const at = {
    facilitator: configuration.facilitator,
    grants: options.grants ?? createMemoryGrants({ now: () => clock.now() }),
    clock,
    waitMs: configuration.waitMs,
    emit: guard(options.onEvent ?? warnOnConsole),
    continuations: createContinuations(() => at)
  };
  const route = (own = {}) => createRoute(at, configuration, parseRouteOptions({ ...options, ...own }));
  let fallback = options.price === void 0 ? void 0 : route();
  return {
    route,
    charge: async (request, serve, more) => (fallback ??= route()).charge(request, serve, more)
  };
}
function guard(listener) {
  return (event) => {
    try {
      listener(event);
    } catch {
    }
  };
}
function createRoute(seller, of, route) {
  const { isStreamed, order, workMs } = route;
  const quote = createQuote(of.networks, route);
  const isPublic = of.publicUrl !== void 0;
  async function answer(at, request, serve, options) {
    if (request.method === "OPTIONS") return preflight();
    const resource = resourceOf(request, of, route);
    const terms = { offers: await quote(request), resource, mode: of.mode };
    const presented = readPresentedPayment(request.headers);
    if (presented.kind === "none") {
      return offerPage(ask(at, terms), terms, request, of.paywall, at.clock.now());
    }
    if (presented.kind === "refused") return ask(at, terms, reasonOf(presented.refusal));
    if (presented.kind === "ambiguous") {
      return refuseRequest(400, "ambiguous_payment", "Send one payment header, once.");
    }
    if (presented.kind === "too_large") {
      return refuseRequest(431, "payment_header_too_large", "The payment header is too long.");
    }
    const { payment } = presented;
    const { bodyBytesMax } = of;
    const about = { ...options, request, payment, terms, bodyBytesMax, isPublic };
    const purchase = await openPurchase(at, about);
    if (purchase instanceof Response) return purchase;
    const reader = options.boundTo === void 0 ? await readerOf(request) : void 0;
    const who = reader === void 0 ? {} : { reader };
    return exchange(at, { ...purchase, serve, isStreamed, order, workMs, ...who });
  }
  return {
    async charge(request, serve, options = {}) {
      const { onEvent } = options;
      const at = onEvent ? { ...seller, emit: both(seller.emit, guard(onEvent)) } : seller;
      try {
        return dress(await answer(at, request, serve, options), of.allowOrigin);
      } catch (error) {
        at.emit({ type: "broken", url: resourceOf(request, of, route).url, error });
        throw error;
      }
    }
  };
}
function both(first, second) {
  return (event) => {
    first(event);
    second(event);
  };
}
function resourceOf(request, seller, route) {
  const { protocol, host, pathname, search } = new URL(request.url);
  const origin = `${protocol}//${host}`;
  const { description, mimeType } = route;
  return {
    url: `${seller.publicUrl ?? origin}${pathname}${search}`,
    ...description === void 0 ? {} : { description },
    ...mimeType === void 0 ? {} : { mimeType }
  };
}

// packages/seller/src/adapters/node.ts
function farthing(options) {
  const seller = createSeller(options);
  return (own, listener) => {
    const route = seller.route(own);
    return (req, res) => {
      const work2 = (payment) => listener(req, res, payment);
      const failed = () => {
        if (res.headersSent) res.destroy();
        else res.writeHead(500, { "Content-Type": "text/plain" }).end("Internal Server Error\n");
      };
      void chargeNode(route, { req, res, url: addressOf2(req), work: work2, failed });
    };
  };
}

// packages/seller/src/grants/redis.ts
import { randomUUID } from "node:crypto";

// packages/seller/src/grants/held-lease.ts
var renewalsPerLease = 3;
function holdLease(found, steps, leaseMs) {
  let isHeld = true;
  const beat = setInterval(() => {
    steps.renew().then((isOurs) => isOurs || stop()).catch(() => void 0);
  }, leaseMs / renewalsPerLease);
  beat.unref();
  function stop() {
    isHeld = false;
    clearInterval(beat);
  }
  async function end(step) {
    if (!isHeld) return false;
    stop();
    return step();
  }
  return {
    ...found,
    settling: async (known) => isHeld && steps.settling(known),
    paid: async (receipt) => isHeld && steps.paid(receipt),
    deliver: (receipt, answer) => end(() => steps.deliver(receipt, answer)),
    release: () => end(() => steps.release()),
    leave: () => end(() => steps.leave())
  };
}
var waitersMax2 = 1e3;
function createWaiting(isBusy, pollMs3) {
  let waiting = 0;
  async function poll(key, untilMs) {
    while (await isBusy(key)) {
      const leftMs = untilMs - performance.now();
      if (leftMs <= 0) return false;
      await new Promise((resolve) => setTimeout(resolve, Math.min(pollMs3, leftMs)));
    }
    return true;
  }
  return async (key, timeoutMs) => {
    if (waiting >= waitersMax2) return false;
    waiting++;
    try {
      return await poll(key, performance.now() + timeoutMs);
    } finally {
      waiting--;
    }
  };
}

// packages/seller/src/grants/redis-scripts.ts
var start = `
local grant, answer = KEYS[1], KEYS[2]
local now = tonumber(ARGV[1])
if now < 0 then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local function text(number) return string.format('%.0f', number) end
`;
var takeScript = `${start}
local fingerprint, payload, holder = ARGV[2], ARGV[3], ARGV[4]
local heldUntil = text(now + ARGV[5])
local f, p, s, r, e, h, u, t = unpack(redis.call('HMGET', grant, 'f', 'p', 's', 'r', 'e', 'h', 'u', 't'))
if s and tonumber(e) <= now then
  redis.call('DEL', grant, answer)
  s = false
end
if not s then
  redis.call('HSET', grant, 'f', fingerprint, 'p', payload, 's', 'claimed',
    'e', text(now + ARGV[6]), 'h', holder, 'u', heldUntil)
  redis.call('PEXPIRE', grant, ARGV[6])
  -- It may still be there: where Redis is allowed to forget, it forgets key by key.
  redis.call('DEL', answer)
  return {'taken', 'claimed'}
end
if f ~= fingerprint or p ~= payload then return {'bound'} end
if s ~= 'delivered' then
  if h and tonumber(u) > now then return {'busy'} end
  redis.call('HSET', grant, 'h', holder, 'u', heldUntil)
elseif tonumber(t) <= now then
  return {'delivered', s, r}
end
local status, headers, body = unpack(redis.call('HMGET', answer, 'status', 'headers', 'body'))
return {s == 'delivered' and s or 'taken', s, r, status, headers, body}
`;
var hasScript = `${start}
local f, p, e = unpack(redis.call('HMGET', grant, 'f', 'p', 'e'))
return (f == ARGV[2] and p == ARGV[3] and tonumber(e) > now) and 1 or 0
`;
var busyScript = `${start}
local h, u, e = unpack(redis.call('HMGET', grant, 'h', 'u', 'e'))
return (h and tonumber(u) > now and tonumber(e) > now) and 1 or 0
`;
var held = `${start}
if redis.call('HGET', grant, 'h') ~= ARGV[2] then return 0 end
`;
var recordScript = `${held}
local state, receipt, keptMs = ARGV[3], ARGV[4], ARGV[5]
redis.call('HSET', grant, 's', state, 'e', text(now + keptMs))
if receipt ~= '' then redis.call('HSET', grant, 'r', receipt) end
if ARGV[8] then redis.call('HSET', answer, 'status', ARGV[8], 'headers', ARGV[9], 'body', ARGV[10]) end
redis.call('PEXPIRE', grant, keptMs)
if state == 'delivered' then
  local answerUntil = math.min(now + ARGV[6], tonumber(ARGV[7]))
  redis.call('HDEL', grant, 'h', 'u')
  redis.call('HSET', grant, 't', text(answerUntil))
  redis.call('PEXPIRE', answer, text(math.max(answerUntil - now, 0)))
else
  redis.call('PEXPIRE', answer, keptMs)
end
return 1
`;
var releaseScript = `${held}
redis.call('DEL', grant, answer)
return 1
`;
var leaveScript = `${held}
redis.call('HDEL', grant, 'h', 'u')
return 1
`;
var renewScript = `${held}
redis.call('HSET', grant, 'u', text(now + ARGV[3]))
return 1
`;

// packages/seller/src/grants/stored-grant.ts
init_src();
function isBoundTo(stored, binding) {
  return stored.fingerprint === binding.fingerprint && stored.payload === binding.payload;
}
function foundIn(stored) {
  const receipt = receiptIn(stored);
  const answer = answerIn(stored);
  return {
    state: stateIn(stored),
    ...receipt ? { receipt } : {},
    ...answer ? { answer } : {}
  };
}
function stateIn({ state }) {
  return state === "settling" || state === "paid" ? state : "claimed";
}
function receiptIn({ receipt }) {
  return typeof receipt === "string" ? parseSettleResponse(parseJson(receipt)?.value) : void 0;
}
var readerName = ":reader";
function headersText({ headers, reader }) {
  return JSON.stringify(reader === void 0 ? headers : [...headers, [readerName, reader]]);
}
function answerIn(stored) {
  const { answerStatus: status, answerHeaders, answerBody } = stored;
  if (typeof status !== "number" || typeof answerHeaders !== "string" || !answerBody) {
    return void 0;
  }
  const list = parseJson(answerHeaders)?.value;
  if (!Array.isArray(list)) return void 0;
  const pairs = list.filter(isPair);
  const headers = pairs.filter(([name]) => name !== readerName);
  const reader = pairs.find(([name]) => name === readerName)?.[1];
  const body = new Uint8Array(answerBody);
  return { status, headers, body, ...reader === void 0 ? {} : { reader } };
}
function isPair(value) {
  return Array.isArray(value) && value.length === 2 && value.every((one) => typeof one === "string");
}

// packages/seller/src/grants/redis.ts
var answerMsMax = 5e3;
var pollMs = 50;
function createRedisGrants(options) {
  const {
    client,
    prefix = "farthing:",
    answerBytesMax: answerBytesMax2 = answerBytesMaxDefault,
    leaseMs = leaseMsDefault
  } = options;
  function run(key, script2, ...more) {
    const grant = `${prefix}{${key}}`;
    return client.eval(script2, {
      keys: [grant, `${grant}:answer`],
      arguments: [options.now?.() ?? -1, ...more].map(String)
    });
  }
  async function take(binding) {
    const { key, fingerprint, payload } = binding;
    const holder = randomUUID();
    const bounds = [fingerprint, payload, holder, leaseMs, settlingMsMax];
    const asking = run(key, takeScript, ...bounds).catch(fullWhenOutOfMemory);
    const reply = await inTime(asking, async (late) => {
      const [kind, state] = Array.isArray(late) ? late : [];
      if (kind === "taken")
        await run(key, state === "claimed" ? releaseScript : leaveScript, holder);
    });
    const fields = Array.isArray(reply) ? reply : [];
    const stored = toStored2(binding, fields);
    switch (fields[0]) {
      case "full":
      case "bound":
      case "busy":
        return { kind: fields[0] };
      case "taken": {
        const steps = stepsOf({ run, binding, holder, leaseMs, answerBytesMax: answerBytesMax2 });
        return { kind: "taken", lease: holdLease(foundIn(stored), steps, leaseMs) };
      }
      case "delivered": {
        const receipt = receiptIn(stored);
        const answer = answerIn(stored);
        if (receipt) return { kind: "delivered", receipt, ...answer ? { answer } : {} };
      }
    }
    throw new Error("Redis keeps something else under the key of a grant.");
  }
  return {
    answerBytesMax: answerBytesMax2,
    take,
    async has({ key, fingerprint, payload }) {
      return await inTime(run(key, hasScript, fingerprint, payload)) === 1;
    },
    wait: createWaiting(async (key) => await inTime(run(key, busyScript)) === 1, pollMs)
  };
}
function stepsOf({ run, binding, holder, leaseMs, answerBytesMax: answerBytesMax2 }) {
  const { key, validBeforeMs } = binding;
  const step = async (script2, ...more) => await run(key, script2, holder, ...more) === 1;
  const fieldsOf = (answer) => answer && answer.body.byteLength <= answerBytesMax2 ? [answer.status, headersText(answer), toBase64(answer.body)] : [];
  return {
    settling: ({ receipt, answer } = {}) => {
      const known = receipt ? JSON.stringify(receipt) : "";
      return step(recordScript, "settling", known, settlingMsMax, "", "", ...fieldsOf(answer));
    },
    paid: (receipt) => step(recordScript, "paid", JSON.stringify(receipt), undeliveredMsMax, "", ""),
    deliver: (receipt, answer) => step(
      recordScript,
      "delivered",
      JSON.stringify(receipt),
      deliveredMsMax,
      replayMsMax,
      validBeforeMs,
      ...fieldsOf(answer)
    ),
    release: () => step(releaseScript),
    leave: () => step(leaveScript),
    renew: () => step(renewScript, leaseMs)
  };
}
function inTime(asking, late = async () => void 0) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error(`Redis did not answer within ${answerMsMax} ms.`));
      asking.then(late).catch(() => void 0);
    }, answerMsMax);
    asking.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
function fullWhenOutOfMemory(error) {
  if (error instanceof Error && /\bOOM\b/.test(error.message)) return ["full"];
  throw error;
}
function toStored2({ fingerprint, payload }, fields) {
  const [, state, receipt, status, answerHeaders, body] = fields;
  return {
    fingerprint,
    payload,
    state,
    receipt,
    answerStatus: typeof status === "string" ? Number(status) : void 0,
    answerHeaders,
    answerBody: typeof body === "string" ? fromBase64(body) : void 0
  };
}
function toBase64(bytes) {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}
function fromBase64(text2) {
  return new Uint8Array(Buffer.from(text2, "base64"));
}

// packages/seller/src/grants/sqlite.ts
import { randomUUID as randomUUID2 } from "node:crypto";

// packages/seller/src/grants/sqlite-file.ts
import {
  DatabaseSync
} from "node:sqlite";
var schemaVersion = 1;
var schema = `
create table grants (
  id integer primary key,
  key text not null unique,
  fingerprint text not null,
  payload text not null,
  valid_before_ms integer not null,
  state text not null check (state in ('claimed', 'settling', 'paid', 'delivered')),
  receipt text,
  answer_status integer,
  answer_headers text,
  answer_body blob,
  -- When a delivered answer is dropped; 0 before its delivery.
  answer_until_ms integer not null default 0,
  expires_at_ms integer not null,
  holder text,
  held_until_ms integer not null default 0
) strict;
create index grants_by_end on grants (expires_at_ms);
create index grants_by_answer on grants (answer_until_ms) where answer_body is not null;
create index grants_delivered on grants (id) where state = 'delivered';

create table totals (entries integer not null, bytes integer not null) strict;
insert into totals values (0, 0);
create trigger grant_made after insert on grants begin
  update totals set entries = entries + 1;
end;
create trigger grant_gone after delete on grants begin
  update totals set entries = entries - 1, bytes = bytes - coalesce(length(old.answer_body), 0);
end;
create trigger answer_changed after update of answer_body on grants begin
  update totals set bytes =
    bytes + coalesce(length(new.answer_body), 0) - coalesce(length(old.answer_body), 0);
end;
pragma user_version = ${schemaVersion};
`;
function openGrants(path, busyTimeoutMs2) {
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs2 });
  const statements = /* @__PURE__ */ new Map();
  const prepare = (text2) => {
    const statement = statements.get(text2) ?? database.prepare(text2);
    statements.set(text2, statement);
    return statement;
  };
  let strengthNow = "";
  const opened = {
    get: (text2, ...values) => prepare(text2).get(...values),
    run: (text2, ...values) => Number(prepare(text2).run(...values).changes),
    transaction(work2, strength) {
      if (strength !== strengthNow) {
        database.exec(`pragma synchronous = ${strength === "surely" ? "full" : "normal"}`);
        strengthNow = strength;
      }
      database.exec("begin immediate");
      try {
        const outcome = work2();
        database.exec("commit");
        return outcome;
      } catch (error) {
        if (database.isTransaction) database.exec("rollback");
        throw error;
      }
    },
    close: () => database.close()
  };
  try {
    database.exec("pragma journal_mode = WAL");
    opened.transaction(() => setUp(database, path), "surely");
  } catch (error) {
    database.close();
    throw error;
  }
  return opened;
}
function setUp(database, path) {
  const version = database.prepare("pragma user_version").get()?.["user_version"];
  if (version === schemaVersion) return;
  const { tables } = database.prepare("select count(*) as tables from sqlite_schema").get() ?? {};
  if (version !== 0 || tables !== 0) {
    throw new Error(`${path} is not a file of grants of this version; choose another path.`);
  }
  database.exec(schema);
}

// packages/seller/src/grants/sqlite.ts
var entriesMaxDefault2 = 2e5;
var totalBytesMaxDefault2 = 512 * 1024 * 1024;
var busyTimeoutMs = 5e3;
var pollMs2 = 25;
var swept = 4;
var displacedMax = 1e3;
function createSqliteGrants(options) {
  const bounds = {
    entriesMax: options.entriesMax ?? entriesMaxDefault2,
    answerBytesMax: options.answerBytesMax ?? answerBytesMaxDefault,
    totalBytesMax: options.totalBytesMax ?? totalBytesMaxDefault2,
    replayMs: Math.min(options.replayMs ?? replayMsMax, replayMsMax),
    leaseMs: options.leaseMs ?? leaseMsDefault,
    now: options.now ?? Date.now
  };
  const database = openGrants(options.path, busyTimeoutMs);
  const { now, leaseMs } = bounds;
  const read = (key) => database.get("select * from grants where key = ? and expires_at_ms > ?", key, now());
  const isHeld = (row) => row?.["holder"] != null && Number(row["held_until_ms"]) > now();
  function take(binding) {
    const { key, fingerprint, payload, validBeforeMs } = binding;
    sweep(database, now());
    const row = read(key);
    const stored = row && toStored3(row);
    const holder = randomUUID2();
    if (!stored) {
      database.run("delete from grants where key = ?", key);
      if (!makeRoom(database, bounds.entriesMax)) return { kind: "full" };
      database.run(
        `insert into grants (key, fingerprint, payload, valid_before_ms, state, expires_at_ms,
           holder, held_until_ms) values (?, ?, ?, ?, 'claimed', ?, ?, ?)`,
        key,
        fingerprint,
        payload,
        validBeforeMs,
        now() + settlingMsMax,
        holder,
        now() + leaseMs
      );
    } else {
      if (!isBoundTo(stored, binding)) return { kind: "bound" };
      const receipt = stored.state === "delivered" ? receiptIn(stored) : void 0;
      if (receipt) {
        const answer = Number(row["answer_until_ms"]) > now() ? answerIn(stored) : void 0;
        return { kind: "delivered", receipt, ...answer ? { answer } : {} };
      }
      if (isHeld(row)) return { kind: "busy" };
      database.run(
        "update grants set holder = ?, held_until_ms = ? where key = ?",
        holder,
        now() + leaseMs,
        key
      );
    }
    const found = stored ? foundIn(stored) : { state: "claimed" };
    const steps = stepsOf2({ database, bounds, key, validBeforeMs, holder });
    return { kind: "taken", lease: holdLease(found, steps, leaseMs) };
  }
  return {
    answerBytesMax: bounds.answerBytesMax,
    take: async (binding) => database.transaction(() => take(binding), "soon"),
    has: async (binding) => {
      const row = read(binding.key);
      return row !== void 0 && isBoundTo(toStored3(row), binding);
    },
    wait: createWaiting(async (key) => isHeld(read(key)), pollMs2),
    keptBytes: () => totalOf(database, "bytes"),
    close: () => database.close()
  };
}
function sweep(database, nowMs) {
  database.run(
    `delete from grants where id in
       (select id from grants where expires_at_ms <= ? order by expires_at_ms limit ${swept})`,
    nowMs
  );
  database.run(
    `update grants set answer_body = null where id in
       (select id from grants where answer_body is not null and answer_until_ms between 1 and ?
        order by answer_until_ms limit ${swept})`,
    nowMs
  );
}
function makeRoom(database, entriesMax) {
  const isFull = () => totalOf(database, "entries") >= entriesMax;
  if (!isFull()) return true;
  database.run(
    `delete from grants where id =
       (select id from grants where state = 'delivered' order by id limit 1)`
  );
  return !isFull();
}
function stepsOf2({ database, bounds, key, validBeforeMs, holder }) {
  const { now, leaseMs } = bounds;
  const ours = "where key = ? and holder = ?";
  const change = (set, ...values) => database.run(`update grants set ${set} ${ours}`, ...values, key, holder) > 0;
  function keep(answer) {
    if (!answer || !hasRoomFor(database, bounds, answer.body.byteLength)) return;
    const headers = headersText(answer);
    change(
      "answer_status = ?, answer_headers = ?, answer_body = ?",
      answer.status,
      headers,
      answer.body
    );
  }
  return {
    settling: async ({ receipt, answer } = {}) => database.transaction(() => {
      keep(answer);
      return change(
        "state = 'settling', receipt = coalesce(?, receipt), expires_at_ms = ?",
        receipt ? JSON.stringify(receipt) : null,
        now() + settlingMsMax
      );
    }, "surely"),
    paid: async (receipt) => database.transaction(
      () => change(
        "state = 'paid', receipt = ?, expires_at_ms = ?",
        JSON.stringify(receipt),
        now() + undeliveredMsMax
      ),
      "surely"
    ),
    deliver: async (receipt, answer) => database.transaction(() => {
      keep(answer);
      return change(
        `state = 'delivered', receipt = ?, expires_at_ms = ?, answer_until_ms = ?,
           holder = null, held_until_ms = 0`,
        JSON.stringify(receipt),
        now() + deliveredMsMax,
        Math.min(validBeforeMs, now() + bounds.replayMs)
      );
    }, "surely"),
    release: async () => database.transaction(
      () => database.run(`delete from grants ${ours}`, key, holder) > 0,
      "soon"
    ),
    leave: async () => database.transaction(() => change("holder = null, held_until_ms = 0"), "soon"),
    renew: async () => database.transaction(() => change("held_until_ms = ?", now() + leaseMs), "soon")
  };
}
function hasRoomFor(database, bounds, size) {
  if (size > bounds.answerBytesMax) return false;
  const isRoom = () => totalOf(database, "bytes") + size <= bounds.totalBytesMax;
  for (let displaced = 0; displaced < displacedMax && !isRoom(); displaced++) {
    const dropped = database.run(
      `update grants set answer_body = null where id =
         (select id from grants where answer_body is not null and answer_until_ms > 0
          order by answer_until_ms limit 1)`
    );
    if (dropped === 0) return false;
  }
  return isRoom();
}
function totalOf(database, what) {
  return Number(database.get("select entries, bytes from totals")?.[what]);
}
function toStored3(row) {
  return {
    fingerprint: row["fingerprint"],
    payload: row["payload"],
    state: row["state"],
    receipt: row["receipt"],
    answerStatus: row["answer_status"],
    answerHeaders: row["answer_headers"],
    answerBody: row["answer_body"] instanceof Uint8Array ? row["answer_body"] : void 0
  };
}

// packages/seller/src/grants/shop-process.testing.ts
async function open({ store: { kind, path }, leaseMs }) {
  if (kind === "sqlite") return createSqliteGrants({ path, leaseMs });
  const client = await createClient({ socket: { path, tls: false } }).connect();
  return createRedisGrants({ client, leaseMs });
}
async function start2(order) {
  const { facilitatorUrl, payTo, settle } = order;
  const grants = await open(order);
  const charge = farthing({
    facilitator: { url: facilitatorUrl },
    payTo,
    settle,
    grants,
    // The one address of all processes, as behind a load balancer.
    publicUrl: "https://shop.example",
    // Says nothing on the console of the tests.
    onEvent: () => void 0
  });
  const shop = await listen(
    charge({ price: "0.01" }, (_req, res) => {
      process.stdout.write("made\n");
      res.end(`made by ${process.pid}`);
    })
  );
  process.stdout.write(`${shop.url}
`);
}
var [text] = process.argv.slice(2);
if (text !== void 0) {
  const order = JSON.parse(text);
  await start2(order);
}
