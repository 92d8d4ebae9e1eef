/** Generated messages: everything that the wire allows, in every casing and spelling. */
import * as fc from "fast-check";
import { isObject, type JsonObject } from "../encoding/json.ts";
import { networks } from "../networks/networks.ts";

const digits = "0123456789abcdefABCDEF".split("");

/** `0x` and so many bytes, in mixed case. */
export function hexOf(bytesMin: number, bytesMax = bytesMin) {
  return fc
    .integer({ min: bytesMin, max: bytesMax })
    .chain((bytes) =>
      fc.string({
        unit: fc.constantFrom(...digits),
        minLength: 2 * bytes,
        maxLength: 2 * bytes,
      }),
    )
    .map((text) => `0x${text}` as const);
}

/** An address in any casing, not zero. */
export const address = hexOf(20).filter((text) => !/^0x0+$/.test(text));

const uint256 = fc.bigInt({ min: 0n, max: (1n << 256n) - 1n });

export const amount = uint256.filter((units) => units > 0n).map(String);

/** Text with everything JSON can carry: other scripts, emoji, lone surrogates, controls. */
export const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: "grapheme" }),
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((codes) => String.fromCharCode(...codes)),
);

export const jsonObject = fc.dictionary(
  fc.string(),
  fc.jsonValue({ maxDepth: 3 }),
) as fc.Arbitrary<JsonObject>;

export const wireAuthorization = fc.record({
  from: address,
  to: address,
  value: uint256.map(String),
  validAfter: uint256.map(String),
  validBefore: uint256.map(String),
  nonce: hexOf(32),
});

const networkId = fc.constantFrom(...networks.map(({ id }) => id));
const networkLabel = fc.constantFrom(
  ...networks.flatMap(({ label, aliases }) => [label, ...aliases]),
);
const seconds = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const domain = { name: anyText, version: anyText };
const orNull = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });

export const wireRequirementsV1 = fc.record(
  {
    scheme: fc.constant("exact"),
    network: networkLabel,
    maxAmountRequired: amount,
    resource: anyText,
    description: anyText,
    mimeType: anyText,
    payTo: address,
    maxTimeoutSeconds: seconds,
    asset: address,
    extra: orNull(fc.record(domain, { requiredKeys: [] })),
    outputSchema: orNull(jsonObject),
  },
  {
    requiredKeys: ["scheme", "network", "maxAmountRequired", "payTo", "maxTimeoutSeconds", "asset"],
  },
);

export const wireRequirementsV2 = fc.record(
  {
    x402Version: fc.constant(2),
    scheme: fc.constant("exact"),
    network: networkId,
    amount,
    asset: address,
    payTo: address,
    maxTimeoutSeconds: seconds,
    extra: orNull(
      fc.record(
        {
          ...domain,
          assetTransferMethod: orNull(fc.constant("eip3009")),
          paymentFlow: fc.constantFrom("authorization", "upfront", "escrow"),
        },
        { requiredKeys: [] },
      ),
    ),
  },
  { requiredKeys: ["scheme", "network", "amount", "asset", "payTo", "maxTimeoutSeconds"] },
);

const payload = fc.record({ signature: hexOf(0, 200), authorization: wireAuthorization });

const tail = { resource: orNull(jsonObject), extensions: orNull(jsonObject) };

/** A payment of any of the three shapes. */
export const wirePayment = fc.oneof(
  fc.record({
    x402Version: fc.constant(1),
    scheme: fc.constant("exact"),
    network: networkLabel,
    payload,
  }),
  fc.record(
    { x402Version: fc.constant(2), accepted: wireRequirementsV2, payload, ...tail },
    { requiredKeys: ["x402Version", "accepted", "payload"] },
  ),
  fc.record(
    {
      x402Version: fc.constant(2),
      scheme: fc.constant("exact"),
      network: networkId,
      accepted: fc.constant(null),
      payload,
      ...tail,
    },
    { requiredKeys: ["x402Version", "scheme", "network", "payload"] },
  ),
);

export const settleResponse = fc.record(
  {
    success: fc.boolean(),
    transaction: fc.oneof(fc.constant(""), hexOf(32)),
    network: fc.oneof(networkId, networkLabel),
    payer: address,
    errorReason: anyText,
    errorMessage: anyText,
    amount,
    id: anyText,
    status: fc.constantFrom("pending" as const, "confirmed" as const, "failed" as const),
    extensions: jsonObject,
    extra: jsonObject,
  },
  { requiredKeys: ["success", "transaction", "network"] },
);

/** Whatever JavaScript can hold. */
export const anything = fc.anything({
  withBigInt: true,
  withBoxedValues: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withObjectString: true,
  withSet: true,
  withSparseArray: true,
  withTypedArray: true,
  stringUnit: "binary",
});

type Path = readonly string[];

function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, inner]) => pathsOf(inner, [...path, key]))];
}

function replaceAt(value: unknown, path: Path, replacement: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return replacement;
  if (Array.isArray(value)) {
    return value.map((inner: unknown, index) =>
      String(index) === key ? replaceAt(inner, rest, replacement) : inner,
    );
  }
  if (!isObject(value)) return value;
  return { ...value, [key]: replaceAt(value[key], rest, replacement) };
}

/** A message with one of its parts, at any depth, replaced by anything. */
export function spoiled(message: unknown): fc.Arbitrary<unknown> {
  return fc
    .tuple(fc.constantFrom(...pathsOf(message)), fc.oneof(anything, fc.constant(undefined)))
    .map(([path, replacement]) => replaceAt(message, path, replacement));
}
