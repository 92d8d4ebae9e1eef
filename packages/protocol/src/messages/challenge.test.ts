import { decodePaymentRequiredHeader } from "@x402/core/http";
import {
  PaymentRequiredV1Schema,
  PaymentRequiredV2Schema,
  PaymentRequirementsV1Schema,
  PaymentRequirementsV2Schema,
} from "@x402/core/schemas";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  anyText,
  jsonObject,
  wireRequirementsV1,
  wireRequirementsV2,
} from "./arbitraries.testing.ts";
import { buildChallenge, challengeEntriesMax, parseChallenge } from "./challenge.ts";
import { decodeHeader } from "../encoding/headers.ts";
import { apothem, xdc } from "../networks/networks.ts";
import { parseRequirements, type Requirements } from "./requirements.ts";
import {
  asJson,
  challengeBody,
  challengeHeaderJson,
  json,
  listIn,
  refusalOf,
  valueOf,
  vectorPayee,
} from "./wire-examples.testing.ts";

const offer: Requirements = {
  version: 2,
  network: xdc,
  networkName: "eip155:50",
  asset: xdc.usdc,
  amount: 1000n,
  payTo: vectorPayee,
  maxTimeoutSeconds: 60,
};
const resource = {
  url: "https://seller.example/r",
  description: "d",
  mimeType: "application/json",
};

/** A captured challenge with what our own entries add: to `extra`, and of version 1 to version 2. */
function withOurMembers(text: string): string {
  const token = '"name":"USDC","version":"2"';
  const extra = `${token},"decimals":6,"primaryType":"TransferWithAuthorization"`;
  const first =
    '"maxAmountRequired":"1000","resource":"https://seller.example/r","description":"d","mimeType":"application/json"';
  return text
    .replaceAll(token, extra)
    .replace(/("assetTransferMethod":"eip3009",[^}]*\})/, `$1,${first}`);
}

describe("building", () => {
  test("the known input gives the known header and dual body, with the members others need", () => {
    const { headers, body } = buildChallenge({ offers: [offer], resource });
    expect(headers).toEqual({
      "PAYMENT-REQUIRED": btoa(withOurMembers(challengeHeaderJson)),
      "Content-Type": "application/json",
      "Cache-Control": "no-store",
    });
    expect(JSON.stringify(body)).toBe(withOurMembers(challengeBody));
  });

  test("every entry says what thirdweb 5.121 and @dexterai/x402 read before they sign", () => {
    const { headers, body } = buildChallenge({ offers: [offer], resource });
    const header = decodeHeader(headers["PAYMENT-REQUIRED"] ?? "")?.value;
    const extras = [...listIn(header, "accepts"), ...listIn(body, "accepts")].map(
      (entry) => entry["extra"],
    );
    const token = { decimals: 6, primaryType: "TransferWithAuthorization" };
    const named = { name: "USDC", version: "2", ...token };
    const v2 = { assetTransferMethod: "eip3009", ...named };
    expect(extras).toEqual([v2, named, v2]);
  });

  test("every entry parses by the schema of version 1, which thirdweb 5.121 holds all to", () => {
    const { headers, body } = buildChallenge({ offers: [offer], resource });
    const header = decodeHeader(headers["PAYMENT-REQUIRED"] ?? "")?.value;
    const entries = [...listIn(header, "accepts"), ...listIn(body, "accepts")];
    expect(entries).toHaveLength(3);
    for (const entry of entries) {
      expect(PaymentRequirementsV1Schema.safeParse(entry).error).toBeUndefined();
      expect(entry).toMatchObject({ maxAmountRequired: "1000", resource: resource.url });
    }
  });

  test("a long resource is not repeated by every entry, which keeps the header readable", () => {
    const url = `https://seller.example/r?${"q".repeat(2_048)}`;
    const { headers } = buildChallenge({ offers: [offer], resource: { url } });
    const header = decodeHeader(headers["PAYMENT-REQUIRED"] ?? "")?.value;
    expect(header).toMatchObject({ resource: { url } });
    expect(listIn(header, "accepts")[0]).not.toHaveProperty("resource");
  });

  test("it does not matter in which version the offer was stated", () => {
    const first: Requirements = { ...offer, version: 1, networkName: "xdc", resource: "elsewhere" };
    expect(buildChallenge({ offers: [first], resource })).toEqual(
      buildChallenge({ offers: [offer], resource }),
    );
  });

  test("the header's entries carry no version: stock clients would echo it", () => {
    const { headers } = buildChallenge({ offers: [offer], resource });
    expect(atob(headers["PAYMENT-REQUIRED"] ?? "")).not.toMatch(/accepts.*x402Version/);
  });

  test("version 2 alone: one body for all, no version 1 entry", () => {
    const extensions = { "payment-identifier": { info: { required: false } } };
    const { headers, body } = buildChallenge({
      offers: [offer],
      resource,
      mode: "v2-only",
      error: "nonce_already_used",
      extensions,
    });
    const header = decodeHeader(headers["PAYMENT-REQUIRED"] ?? "")?.value;
    expect(header).toMatchObject({ x402Version: 2, error: "nonce_already_used", extensions });
    expect(body).toMatchObject({
      x402Version: 2,
      error: "nonce_already_used",
      extensions,
      resource,
    });
    expect(body["accepts"]).toEqual([
      { x402Version: 2, ...listIn(json(withOurMembers(challengeHeaderJson)), "accepts")[0] },
    ]);
  });

  test("several offers keep their order: all of version 1, then all of version 2", () => {
    const second = { ...offer, network: apothem, networkName: "eip155:51", asset: apothem.usdc };
    const { body } = buildChallenge({ offers: [offer, second], resource });
    expect(listIn(body, "accepts").map((entry) => entry["network"])).toEqual([
      "xdc",
      "xdc-apothem",
      "eip155:50",
      "eip155:51",
    ]);
  });

  test("what we build, stock software takes and we read back", () => {
    const offers = fc.array(
      fc
        .oneof(wireRequirementsV1, wireRequirementsV2)
        .map((wire) => valueOf(parseRequirements(wire))),
      { minLength: 1, maxLength: 4 },
    );
    const what = fc.record(
      { url: fc.webUrl(), description: anyText, mimeType: anyText },
      { requiredKeys: ["url"] },
    );
    const mode = fc.constantFrom("dual" as const, "v2-only" as const);
    fc.assert(
      fc.property(
        offers,
        what,
        mode,
        anyText,
        jsonObject,
        (offers, what, mode, error, extensions) => {
          const input = { offers, resource: what, mode, error, extensions };
          const { headers, body } = buildChallenge(input);
          const header = headers["PAYMENT-REQUIRED"] ?? "";
          const stock = PaymentRequiredV2Schema.parse(decodePaymentRequiredHeader(header));
          expect(stock.accepts.map(({ amount }) => amount)).toEqual(
            offers.map(({ amount }) => amount.toString()),
          );
          // Every value that stock clients of version 1 may be given is text, a number or an object.
          const sent = asJson(body);
          const entries = listIn(sent, "accepts");
          for (const entry of entries.slice(0, mode === "dual" ? offers.length : 0)) {
            PaymentRequirementsV1Schema.parse(entry);
          }
          for (const entry of entries.slice(-offers.length)) {
            PaymentRequirementsV2Schema.parse(entry);
          }
          const fromHeader = valueOf(parseChallenge(decodeHeader(header)?.value));
          const fromBody = valueOf(parseChallenge(sent));
          expect(fromHeader.skipped).toEqual([]);
          expect(fromBody.skipped).toEqual([]);
          expect(fromHeader.error).toBe(error.toWellFormed() === error ? error : fromHeader.error);
          const amounts = offers.map(({ amount }) => amount);
          expect(fromHeader.entries.map(({ requirements }) => requirements.amount)).toEqual(
            amounts,
          );
          expect(fromBody.entries.map(({ requirements }) => requirements.amount)).toEqual(
            mode === "dual" ? [...amounts, ...amounts] : amounts,
          );
        },
      ),
    );
  });

  test("the version 1 entries alone are a challenge of version 1", () => {
    const { body } = buildChallenge({ offers: [offer], resource });
    const [first] = listIn(body, "accepts");
    expect(PaymentRequiredV1Schema.safeParse({ ...body, accepts: [first] }).success).toBe(true);
  });
});

describe("reading", () => {
  test("the header's challenge, entries kept verbatim", () => {
    const sent = json(challengeHeaderJson);
    const challenge = valueOf(parseChallenge(sent));
    expect(challenge).toEqual({
      entries: [
        {
          requirements: { ...offer, domainName: "USDC", domainVersion: "2" },
          raw: listIn(sent, "accepts")[0],
        },
      ],
      skipped: [],
      resource,
      error: "Payment required",
    });
  });

  test("the dual body, whatever version its top says", () => {
    for (const x402Version of [1, 2, 3, undefined]) {
      const challenge = valueOf(parseChallenge({ ...json(challengeBody), x402Version }));
      expect(challenge.entries.map(({ requirements }) => requirements.version)).toEqual([1, 2]);
    }
  });

  test("an entry that cannot be read spoils nothing", () => {
    const [good] = listIn(json(challengeHeaderJson), "accepts");
    const accepts = [null, { ...good, scheme: "upto" }, good, { ...good, network: "solana:x" }];
    const challenge = valueOf(parseChallenge({ accepts, error: null, resource: null }));
    expect(challenge.entries.map(({ raw }) => raw)).toEqual([good]);
    expect(challenge.skipped.map(({ index, refusal }) => [index, refusal.code])).toEqual([
      [0, "invalid_payment_requirements"],
      [1, "unsupported_scheme"],
      [3, "unsupported_network"],
    ]);
    expect(challenge).not.toHaveProperty("error");
    expect(challenge).not.toHaveProperty("resource");
  });

  test("a long list is cut", () => {
    const [good] = listIn(json(challengeHeaderJson), "accepts");
    const accepts = Array.from({ length: challengeEntriesMax + 1 }, () => good);
    expect(valueOf(parseChallenge({ accepts })).entries).toHaveLength(challengeEntriesMax);
  });

  test.each([[null], [[]], ["text"], [{}], [{ accepts: {} }], [{ accepts: null }]])(
    "%o is no challenge",
    (input) => {
      expect(refusalOf(parseChallenge(input)).code).toBe("invalid_payment_requirements");
    },
  );
});
