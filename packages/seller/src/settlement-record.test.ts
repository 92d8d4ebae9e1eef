/** Settlements of facilitators that follow only the service description. */
import { statusOf } from "@farthing/protocol";
import { describe, expect, test } from "vitest";
import { readSettleResponse, readSettlementRecord } from "./settlement-record.ts";

const hash = `0x${"ab".repeat(32)}`;
const other = `0x${"ac".repeat(32)}`;

describe("a settlement record", () => {
  test.each([
    [{ id: "s", status: "confirmed", transaction: hash }],
    [{ id: "s", state: "CONFIRMED", txHash: hash, note: null }],
    [{ confirmed: true, transactionHash: hash }],
    [{ confirmations: 1, hash }],
    [{ confirmedAt: "2026-01-01T00:00:00Z", transaction: hash, transactionHash: hash }],
    [{ success: true, transaction: hash }],
  ])("%j is confirmed", (record) => {
    const settlement = readSettlementRecord(record);
    expect(settlement).toMatchObject({ success: true, transaction: hash });
    expect(settlement && statusOf(settlement)).toBe("confirmed");
  });

  test.each([
    [{ status: "confirmed" }],
    [{ status: "confirmed", transaction: "0x12" }],
    [{ status: "submitted", transaction: hash }],
    [{ transaction: hash }],
    [{ status: "confirmed", state: "queued", transaction: hash }],
    [{ status: "confirmed", confirmed: false, transaction: hash }],
    [{ status: "confirmed", confirmations: 0, transaction: hash }],
    [{ status: "confirmed", transaction: hash, txHash: other }],
    [{ status: "confirmed", transaction: hash, error: "reverted" }],
    [{ status: "reverted", confirmed: true, transaction: hash }],
    [{ success: false, status: "confirmed", transaction: hash }],
    [{ status: "unconfirmed", transaction: hash }],
  ])("%j leaves the outcome open", (record) => {
    const settlement = readSettlementRecord(record);
    expect(settlement && statusOf(settlement)).toBe("pending");
  });

  test("that says failed has failed", () => {
    const settlement = readSettlementRecord({ status: "failed", transaction: hash });
    expect(settlement && statusOf(settlement)).toBe("failed");
  });
});

test.each([[{}], [{ id: "" }], [{ id: 7 }], [{ id: "s", success: true }], ["s"], [null]])(
  "the settle answer %j is none",
  (answer) => expect(readSettleResponse(answer)).toBeUndefined(),
);
