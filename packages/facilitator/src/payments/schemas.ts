/** Descriptions only: the parsers of @farthing/protocol decide, and ignore unknown members. */
import { channelCodes, refusalCodes, saleKinds, wireChannelCode } from "@farthing/protocol";
import { Type } from "typebox";
import {
  AddressText,
  AmountText,
  HashText,
  LogIndex,
  nullable,
  oneOf,
  Problem,
  TimeText,
} from "../http/messages/schemas.ts";
import { paymentRequestExample, settleResponseExample, verifyResponseExample } from "./examples.ts";

const anything = Type.Record(Type.String(), Type.Unknown());

const NetworkName = Type.String({
  description: "Version 2: `eip155:50`, `eip155:51`; version 1: `xdc`, `xdc-apothem`",
});

const Authorization = Type.Object(
  {
    from: AddressText,
    to: AddressText,
    value: AmountText,
    validAfter: Type.String({ description: "Unix seconds" }),
    validBefore: Type.String({ description: "Unix seconds" }),
    nonce: HashText,
  },
  { description: "EIP-3009 `transferWithAuthorization`" },
);

const Requirements = Type.Object(
  {
    scheme: oneOf(["exact"]),
    network: NetworkName,
    amount: Type.Optional(AmountText),
    maxAmountRequired: Type.Optional(AmountText),
    asset: AddressText,
    payTo: AddressText,
    maxTimeoutSeconds: Type.Number({ exclusiveMinimum: 0 }),
    extra: Type.Optional(anything),
  },
  {
    description:
      "One entry of the seller's challenge: version 2 has `amount`, version 1 `maxAmountRequired`",
  },
);

export const PaymentRequestBody = Type.Object(
  {
    x402Version: Type.Optional(Type.Integer({ minimum: 1, maximum: 2 })),
    paymentPayload: Type.Object(
      {
        x402Version: Type.Integer({ minimum: 1, maximum: 2 }),
        scheme: Type.Optional(oneOf(["exact"])),
        network: Type.Optional(NetworkName),
        accepted: Type.Optional(Requirements),
        payload: Type.Object({
          signature: Type.String({ description: "EIP-712, or of a contract wallet" }),
          authorization: Authorization,
        }),
      },
      {
        description:
          "What the buyer sent, decoded: version 2 names `accepted`, version 1 `scheme` and `network`",
      },
    ),
    paymentRequirements: Requirements,
  },
  { description: "At most 64 KiB", examples: [paymentRequestExample] },
);

const RefusalCodeText = oneOf(
  [...refusalCodes, ...channelCodes.map(wireChannelCode)],
  "Why, for programs; see the page on refusals. Channels have the codes of their scheme",
);

/** What the contract of channels says, in the form of the published packages. */
const channelStateMembers = {
  channelId: HashText,
  balance: AmountText,
  totalClaimed: AmountText,
  withdrawRequestedAt: Type.Integer({ description: "Unix seconds; 0 for none" }),
  withdrawAmount: Type.Optional(AmountText),
  refundNonce: Type.String(),
};

const extraMembers = {
  settlementId: Type.Optional(Type.String()),
  nonce: Type.Optional(Type.String({ description: "Of the authorization" })),
  logIndex: Type.Optional(LogIndex),
  settledBy: Type.Optional(
    oneOf(["relayer", "other"], "Who sent the transfer: this service, or a third party"),
  ),
  replayed: Type.Optional(Type.Boolean({ description: "This authorization was settled before" })),
  ownExchange: Type.Optional(
    Type.Boolean({ description: "The call carries the Idempotency-Key of the first one" }),
  ),
  x402Reason: Type.Optional(Type.String({ description: "The name of other x402 software" })),
};

/** /verify of a channel's message has the members of its state themselves. */
const ofChannels = Type.Partial(Type.Object(channelStateMembers)).properties;

export const VerifyResponseBody = Type.Object(
  {
    isValid: Type.Boolean(),
    payer: Type.Optional(AddressText),
    invalidReason: Type.Optional(RefusalCodeText),
    invalidMessage: Type.Optional(Type.String()),
    extra: Type.Optional(Type.Object({ ...extraMembers, ...ofChannels })),
  },
  {
    description: "The result; a payment that would be refused is answered with 200 as well",
    examples: [verifyResponseExample],
  },
);

const StatusText = oneOf(
  ["pending", "confirmed", "failed"],
  "`failed`: the money did not and will not move; `pending`: the outcome is not known yet",
);

const SignatureText = Type.String({
  description: "A JWS in compact form (EdDSA); the key is in /.well-known/jwks.json",
});

const Attestation = Type.Object(
  {
    "settlement-attestation": Type.Object({
      info: Type.Object({
        attestation: Type.Object({ format: oneOf(["jws"]), signature: SignatureText }),
      }),
    }),
  },
  { description: "With `success` only, where the facilitator attests settlements" },
);

const settleMembers = {
  success: Type.Boolean({ description: "The money has moved" }),
  transaction: Type.String({ description: "A hash; empty while none is known" }),
  network: Type.String(),
  payer: Type.Optional(AddressText),
  amount: Type.Optional(
    Type.String({
      pattern: "^[0-9]{0,78}$",
      description: "Base units of USDC; empty for the claim of a channel, which moves none",
    }),
  ),
  errorReason: Type.Optional(RefusalCodeText),
  errorMessage: Type.Optional(Type.String()),
  extra: Type.Optional(
    Type.Object({
      ...extraMembers,
      channelState: Type.Optional(Type.Object(channelStateMembers)),
    }),
  ),
  extensions: Type.Optional(Attestation),
};

export const SettleResponseBody = Type.Object(
  {
    ...settleMembers,
    id: Type.Optional(Type.String({ description: "Absent when nothing was claimed" })),
    status: Type.Optional(StatusText),
  },
  {
    description: "Where the settlement stands, or why there is none",
    examples: [settleResponseExample],
  },
);

const RefundOf = Type.String({ description: "The payment's settlement" });

export const RefundBody = Type.Object(
  {
    settlementId: RefundOf,
    authorization: Authorization,
    signature: Type.String({ description: "EIP-712, or of a contract wallet" }),
  },
  { description: "From the payment's payee to its payer, with the nonce of the next refund" },
);

export const RefundResponseBody = Type.Object(
  { ...SettleResponseBody.properties, refundOf: Type.Optional(RefundOf) },
  { description: "Where the refund stands, or why there is none" },
);

const Refund = Type.Object({
  id: Type.String({ description: "Of its own settlement" }),
  ordinal: Type.Integer({ description: "Determines its nonce" }),
  state: oneOf(["queued", "submitted", "confirmed", "failed"]),
  amount: AmountText,
  transaction: nullable(HashText),
  finalized: Type.Boolean(),
});

/** The members of a settlement that tell of refunds. */
export const refundMembers = {
  refundOf: nullable(RefundOf),
  refunds: Type.Array(Refund, { description: "By ordinal" }),
  refundedAmount: Type.Unsafe<string>({
    ...AmountText,
    description: "Base units of the refunds that are open or confirmed",
  }),
  minRefundAmount: Type.Unsafe<string>({
    ...AmountText,
    description: "Base units that a refund has at least, unless it returns all that is left",
  }),
};

export const SaleKindText = oneOf(
  saleKinds,
  "What the payment has opened beside its response; refund it with the seller's own code, which ends that first",
);

export const RecoveredAt = Type.Union([TimeText, Type.Null()], {
  description: "When the chain showed it after the database had lost it; it may be much older",
});

export const SettlementResponseBody = Type.Object(
  {
    ...settleMembers,
    id: Type.String(),
    status: StatusText,
    state: oneOf(["queued", "submitted", "confirmed", "failed"]),
    asset: AddressText,
    payTo: AddressText,
    blockNumber: nullable(Type.Integer()),
    logIndex: nullable(LogIndex),
    confirmations: Type.Integer(),
    finalized: Type.Boolean(),
    settledBy: nullable(oneOf(["relayer", "other"])),
    ...refundMembers,
    opens: Type.Optional(SaleKindText),
    credits: Type.Integer(),
    createdAt: TimeText,
    submittedAt: nullable(TimeText),
    confirmedAt: nullable(TimeText),
    finalizedAt: nullable(TimeText),
    failedAt: nullable(TimeText),
    recoveredAt: RecoveredAt,
  },
  { description: "The settlement" },
);

export const AttestationBody = Type.Object(
  { settlementId: Type.String(), format: oneOf(["jws"]), signature: SignatureText },
  { description: "The attestation" },
);

export const KeySetBody = Type.Object(
  {
    keys: Type.Array(
      Type.Object({
        kty: oneOf(["OKP"]),
        crv: oneOf(["Ed25519"]),
        x: Type.String(),
        kid: Type.String({ description: "The key's thumbprint (RFC 7638)" }),
        alg: oneOf(["EdDSA"]),
        use: oneOf(["sig"]),
      }),
    ),
  },
  { description: "A JSON Web Key Set (RFC 7517); empty where nothing is attested" },
);

const notEvaluatedCodes =
  "`service_unavailable`, `no_wallet`, `gas_price_too_high`, `queue_full`, `keyless_gas_exhausted`, `reverted_gas_exhausted`, `internal_error`: nothing was evaluated";

/** The error body of /verify, with the members of a result that does not blame the payment. */
export const NotEvaluatedVerify = Type.Object(
  {
    ...Problem.properties,
    isValid: Type.Literal(false),
    invalidReason: Type.Literal("service_unavailable"),
    invalidMessage: Type.String(),
    extra: Type.Object(extraMembers),
  },
  { description: notEvaluatedCodes },
);

/** The error body of /settle. */
export const NotEvaluatedSettle = Type.Object(
  {
    ...Problem.properties,
    success: Type.Literal(false),
    errorReason: Type.Literal("service_unavailable"),
    errorMessage: Type.String(),
    transaction: Type.Literal(""),
    network: Type.String(),
    extra: Type.Object(extraMembers),
  },
  { description: notEvaluatedCodes },
);

const offers = Type.Array(anything, {
  maxItems: 32,
  description: "Entries as in a challenge; those that are not served here are left out",
});

export const AcceptsBody = Type.Object(
  {
    x402Version: Type.Integer({ minimum: 1, maximum: 2 }),
    resource: Type.Optional(anything),
    accepts: offers,
  },
  { description: "The entries that a Faremeter seller means to offer" },
);

export const AcceptsResponseBody = Type.Object(
  {
    x402Version: Type.Integer({ minimum: 1, maximum: 2 }),
    resource: Type.Optional(
      Type.Object({
        url: Type.String(),
        description: Type.Optional(Type.String()),
        mimeType: Type.Optional(Type.String()),
      }),
    ),
    accepts: offers,
    error: Type.Optional(Type.String({ description: "Empty; in version 1 only" })),
  },
  { description: "The entries that can be settled here, with `extra` filled in" },
);

export const SupportedResponseBody = Type.Object(
  {
    kinds: Type.Array(
      Type.Object({
        x402Version: Type.Integer(),
        scheme: oneOf(["exact", "batch-settlement"]),
        network: NetworkName,
        asset: AddressText,
        extra: Type.Object({
          decimals: Type.Integer(),
          name: Type.String(),
          version: Type.String(),
          assetTransferMethod: Type.Optional(Type.String()),
          receiverAuthorizer: Type.Optional(AddressText),
          settlementFee: Type.Optional(
            Type.Object(
              {
                credits: Type.Integer(),
                usdc: Type.String(),
                since: nullable(TimeText),
              },
              { description: "What a settlement with an API key costs now; absent without keys" },
            ),
          ),
        }),
      }),
    ),
    extensions: Type.Array(Type.String()),
    signers: Type.Record(Type.String(), Type.Array(AddressText)),
  },
  { description: "What this surface serves" },
);
