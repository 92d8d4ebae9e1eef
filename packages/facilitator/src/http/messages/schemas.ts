/**
 * Parts of the routes' schemas. Those of the account API validate requests; those of the x402
 * routes only describe them. Responses are described, and a test compares them.
 */
import {
  errorCodes,
  type Address,
  type ChainId,
  type ErrorCode,
  type Hex,
} from "@farthing/protocol";
import { Type, type Static, type TObject, type TSchema } from "typebox";
import { problemTable } from "./responses.ts";

export function nullable<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()]);
}

export function oneOf<const Texts extends readonly string[]>(texts: Texts, description?: string) {
  return Type.Unsafe<Texts[number]>({
    type: "string",
    enum: [...texts],
    ...(description === undefined ? {} : { description }),
  });
}

/** One of several objects, which one member distinguishes. */
export function oneOfBy<T extends TObject[]>(member: string, schemas: readonly [...T]) {
  return Type.Unsafe<Static<T[number]>>({
    type: "object",
    required: [member],
    discriminator: { propertyName: member },
    oneOf: schemas,
  });
}

export function exactly<const P extends Record<string, TSchema>>(
  properties: P,
  description?: string,
) {
  return Type.Object(properties, {
    additionalProperties: false,
    ...(description === undefined ? {} : { description }),
  });
}

export function anyObject(description?: string) {
  return Type.Unsafe<object>({
    type: "object",
    additionalProperties: true,
    ...(description === undefined ? {} : { description }),
  });
}

export function pageOf<const Name extends string, T extends TSchema>(name: Name, item: T) {
  type Page = { [K in Name]: Static<T>[] } & { next: string | null };
  return Type.Unsafe<Page>(exactly({ [name]: Type.Array(item), next: NextCursor }));
}

/** An address in the service's own form. */
export const AddressText = Type.Unsafe<Address>({
  type: "string",
  pattern: "^0x[0-9a-fA-F]{40}$",
  description: "EIP-55",
  examples: ["0x209693Bc6afc0C5328bA36FaF03C514EF312287C"],
});

/** An address input: `0x…` or `xdc…`. The checksum is checked afterwards. */
export const AddressInput = Type.String({
  pattern: "^(0x|xdc|XDC)[0-9a-fA-F]{40}$",
  description: "`0x…` or `xdc…`; mixed case must be a right EIP-55 checksum",
  examples: ["0x209693Bc6afc0C5328bA36FaF03C514EF312287C"],
});

export const HashText = Type.Unsafe<Hex>({ type: "string", pattern: "^0x[0-9a-fA-F]{64}$" });

export const LogIndex = Type.Integer({
  description: "Of its AuthorizationUsed log; names it within a batch",
});

export const TimeText = Type.String({ format: "date-time", description: "RFC 3339" });

export const AmountText = Type.String({
  pattern: "^[0-9]{1,78}$",
  description: "Base units of USDC: 10000 is 0.01 USDC",
  examples: ["10000"],
});

export const ChainIdNumber = Type.Unsafe<ChainId>({
  type: "integer",
  enum: [50, 51],
  description: "50: XDC mainnet; 51: Apothem",
});

/** Text without control characters and without changes of the writing direction. */
export const LabelText = Type.String({ pattern: "^\\P{C}*$", maxLength: 64 });

export const KeyModeText = oneOf(
  ["live", "test"],
  "`live` settles on XDC mainnet, `test` on Apothem and devnets",
);

const NextCursor = nullable(
  Type.String({ description: "For `cursor`, to read on; null at the end" }),
);

/** The start of a page: `next` of an earlier response. */
export const Cursor = Type.Optional(
  Type.String({ pattern: "^[A-Za-z0-9_.~-]{1,100}$", description: "`next` of the page before" }),
);

export const Limit = Type.Optional(
  Type.String({ pattern: "^[1-9][0-9]{0,2}$", description: "Rows of a page" }),
);

/** Seconds for which a response may be held until there is a change. */
export const Wait = Type.Optional(
  Type.String({ pattern: "^[0-9]{1,4}$", description: "Seconds to wait for news, at most 30" }),
);

/** The body of every error response. */
export const Problem = Type.Object(
  {
    error: oneOf(errorCodes, "What it was, for programs"),
    message: Type.String({ description: "What happened and what to do, for people" }),
    retryable: Type.Boolean({ description: "Whether the same request can succeed later" }),
    requestId: Type.String({ description: "Names the request to the operator" }),
  },
  { $id: "Problem", additionalProperties: false },
);

export function refTo<T extends TSchema>(schema: T & { readonly $id?: string }) {
  return Type.Unsafe<Static<T>>({ $ref: `${schema.$id ?? ""}#` });
}

export function emptyResponse(description: string) {
  return Type.Null({ description });
}

const retryAfter = {
  "Retry-After": { type: "integer", description: "Seconds until another try makes sense" },
};

/** Errors of every route. */
const anywhere = ["invalid_request", "rate_limited", "internal_error"] as const;

/** Returns the error responses by status, for these codes and those of every route. */
export function problems(...codes: readonly ErrorCode[]) {
  return problemsOnly(...anywhere, ...codes);
}

/** Error responses of routes of one account that read. */
export function readProblems(...codes: readonly ErrorCode[]) {
  return problems("unauthorized", "service_unavailable", ...codes);
}

/** Error responses of routes of one account that change something. */
export function changeProblems(...codes: readonly ErrorCode[]) {
  return readProblems("foreign_origin", "role_not_allowed", ...codes);
}

/** Returns the error responses by status, for these codes only. */
export function problemsOnly(...codes: readonly ErrorCode[]) {
  const byStatus = Map.groupBy(new Set(codes), (code) => problemTable[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, some]) => [
      status,
      {
        description: some.map((code) => `\`${code}\``).join(", "),
        ...(some.some((code) => problemTable[code].retryable) ? { headers: retryAfter } : {}),
        content: { "application/json": { schema: refTo(Problem) } },
      },
    ]),
  );
}

export const WalletKindText = oneOf(
  ["plain", "contract"],
  "A key pair, or a contract (ERC-1271) on one chain",
);

/** The twelve characters that find an API key. */
export const KeyId = Type.String({ pattern: "^[0-9A-Za-z]{12}$" });
