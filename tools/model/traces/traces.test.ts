/** The checker of stored steps against planted faults, and the notes of a real file. */
import { mkdtempSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "@farthing/facilitator";
import { createSqliteGrants } from "@farthing/seller/sqlite";
import { expect, onTestFinished, test } from "vitest";
import { checkEngineSteps } from "./check-engine-steps.ts";
import { brokenRecordSteps, checkRecordSteps } from "./check-record-steps.ts";
import {
  noteRecordSteps,
  noteSqliteSteps,
  readRecordSteps,
  readSqliteSteps,
  type EngineStep,
  type RecordStep,
  type SettlementNote,
  type TransactionNote,
} from "./stored-steps.ts";

const bare: SettlementNote = {
  state: "queued",
  carrier: null,
  hash: null,
  by: null,
  block: null,
  finalizedAt: null,
  recoveredAt: null,
};

function settlement(change: Partial<SettlementNote>, isMade = false): EngineStep {
  const row = { ...bare, ...change };
  return { kind: "settlement", id: "stl_a", change: isMade ? "made" : "changed", row };
}

function transaction(id: number, change: Partial<TransactionNote>, isMade = false): EngineStep {
  const row = { state: "intent", lane: "0xaa", nonce: id, hash: null, ...change };
  return { kind: "transaction", id: String(id), change: isMade ? "made" : "changed", row };
}

const link = (id: number): EngineStep => {
  return { kind: "link", id: String(id), change: "made", row: { settlement: "stl_a" } };
};

const signed = { state: "signed", hash: "0x01" } as const;
const submitted = { state: "submitted", carrier: 1, hash: "0x01" } as const;
const confirmed = { ...submitted, state: "confirmed", by: "relayer", block: "0xb1" } as const;

const claim: readonly EngineStep[] = [settlement({}, true)];
const carry: readonly EngineStep[] = [
  transaction(1, {}, true),
  settlement({ carrier: 1 }),
  link(1),
  transaction(1, signed),
  settlement(submitted),
];
const mine: readonly EngineStep[] = [
  transaction(1, { ...signed, state: "sent" }),
  transaction(1, { ...signed, state: "mined" }),
];
const confirm: readonly EngineStep[] = [settlement(confirmed)];
const end: readonly EngineStep[] = [settlement({ ...confirmed, finalizedAt: 1 })];

const whole = [...claim, ...carry, ...mine, ...confirm, ...end];

async function* each(steps: readonly EngineStep[]): AsyncGenerator<EngineStep> {
  yield* steps;
}

test("a payment from its claim to its final block is a run of the model", async () => {
  const { broken, taken } = await checkEngineSteps(each(whole));
  expect(broken).toEqual([]);
  expect([...taken.keys()]).toEqual([
    "transaction signed",
    "settlement signed",
    "transaction sent",
    "transaction mined",
    "settlement confirmed",
    "settlement finalized",
  ]);
});

const failed = settlement({ ...submitted, state: "failed" });
const again: readonly EngineStep[] = [
  transaction(2, {}, true),
  settlement({ carrier: 2 }),
  link(2),
];

test.each<readonly [string, readonly EngineStep[], RegExp]>([
  ["it begins as confirmed", [settlement(confirmed, true)], /begins as confirmed/],
  ["it fails once confirmed", [...claim, ...carry, ...mine, ...confirm, failed], /no transition/],
  [
    "it is final twice",
    [...whole, settlement({ ...confirmed, finalizedAt: 2 })],
    /final confirmed to final confirmed/,
  ],
  [
    "it is queued while its transaction is open",
    [...claim, ...carry, settlement({})],
    /no transition: stl_a, submitted to queued/,
  ],
  [
    "another nonce carries it while the first is open",
    [...claim, ...carry, ...again],
    /a payment gets a new nonce only when/,
  ],
  [
    "it was failed, and its own transaction moved the money",
    [...claim, ...carry, ...mine, failed, ...confirm],
    /moves the money of a payment that has failed/,
  ],
  [
    "it is submitted with other bytes than are stored",
    [...claim, ...carry.slice(0, -1), settlement({ ...submitted, hash: "0x02" })],
    /not stored with the same bytes/,
  ],
  [
    "a transaction is sent before it is signed",
    [transaction(1, {}, true), transaction(1, { state: "sent", hash: "0x01" })],
    /no transition: transaction 1/,
  ],
  [
    "a mined transaction is signed again",
    [...claim, ...carry, ...mine, transaction(1, signed)],
    /no transition: transaction 1/,
  ],
  [
    "two transactions are mined at one nonce",
    [
      ...carry,
      ...mine,
      transaction(2, { nonce: 1 }, true),
      transaction(2, { ...signed, nonce: 1, hash: "0x02" }),
      transaction(2, { state: "mined", nonce: 1, hash: "0x02" }),
    ],
    /two at nonce 1 of 0xaa are mined/,
  ],
  [
    "signed bytes change",
    [...claim, ...carry, transaction(1, { state: "sent", hash: "0x02" })],
    /has other bytes than before/,
  ],
  [
    "an open transaction is removed",
    [
      ...carry,
      {
        kind: "transaction",
        id: "1",
        change: "gone",
        row: { state: "signed", lane: "", nonce: 1, hash: null },
      },
    ],
    /is removed while it is open/,
  ],
])("%s: no run of the model", async (_, steps, words) => {
  const { broken } = await checkEngineSteps(each(steps));
  expect(broken.join("\n")).toMatch(words);
});

test("a row that no table allows is noted, whichever statement writes it", async () => {
  const path = join(newFolder(), "engine.db");
  await (await openStore(`sqlite:${path}`)).close();
  noteSqliteSteps(path);
  const file = new DatabaseSync(path);
  onTestFinished(() => file.close());
  file.exec(`insert into relayer_transactions
    (id, chain_id, lane, nonce, to_address, data, gas_limit, gas_price, state, created_at)
    values (1, 51, '0xaa', 0, '0x', '0x', '1', '1', 'intent', 0)`);
  file.exec("update relayer_transactions set sent_at = 1 where id = 1");
  file.exec("update relayer_transactions set hash = '0x01', state = 'sent' where id = 1");
  const steps = readSqliteSteps(path);
  expect(steps).toEqual([
    transaction(1, { nonce: 0 }, true),
    transaction(1, { nonce: 0, hash: "0x01", state: "sent" }),
  ]);
  expect((await checkEngineSteps(each(steps))).broken).toHaveLength(1);
});

test("a payment record goes the way of its table, from its claim to its delivery", async () => {
  const path = join(newFolder(), "shop.db");
  const records = createSqliteGrants({ path });
  onTestFinished(() => records.close());
  noteRecordSteps(path);
  const binding = { key: "k", fingerprint: "f", payload: "p", validBeforeMs: 9e14 };
  const acquired = await records.acquire(binding, { proof: {}, rule: "anyone" });
  if (acquired.kind !== "acquired") throw new Error("A new record is acquired");
  await acquired.lease.settling();
  await acquired.lease.paid({ success: true, transaction: "0x01", network: "eip155:51" });
  const steps = readRecordSteps(path);
  expect(steps.map(({ row }) => row.state)).toEqual(["claimed", "settling", "paid"]);
  expect(checkRecordSteps(steps)).toEqual({
    taken: new Map([
      ["record begun as claimed", 1],
      ["record settle", 1],
      ["record pay", 1],
    ]),
    broken: [],
  });
  // What no store writes is noted too, whichever statement does it.
  const file = new DatabaseSync(path);
  onTestFinished(() => file.close());
  file.exec("update grants set state = 'claimed'; update grants set payload = 'another'");
  file.exec("delete from grants");
  expect(checkRecordSteps(readRecordSteps(path)).broken).toEqual([
    "no transition: record k, paid to claimed",
    "record k is that of another payment",
  ]);
});

const note = (state: string, change: RecordStep["change"], id = "k"): RecordStep => {
  return { kind: "record", id, change, row: { state, fingerprint: "f", payload: "p" } };
};

/** A record on its way up to a state. */
function wayTo(state: string): readonly RecordStep[] {
  const way = ["claimed", "settling", "paid", "delivered"];
  const steps = way.slice(0, way.indexOf(state) + 1);
  return steps.map((one, index) => note(one, index === 0 ? "made" : "changed"));
}

test.each([
  ["settling", "claimed"],
  ["paid", "claimed"],
  ["delivered", "claimed"],
  ["delivered", "settling"],
  ["delivered", "paid"],
])("a record does not go from %s to %s", (from, to) => {
  const { broken } = checkRecordSteps([...wayTo(from), note(to, "changed")]);
  expect(broken).toEqual([`no transition: record k, ${from} to ${to}`]);
});

const other = { fingerprint: "f", payload: "another" };

test.each<readonly [string, readonly RecordStep[], string]>([
  ["begins as settled", [note("settling", "made")], "record k begins as settling"],
  ["begins as paid", [note("paid", "made")], "record k begins as paid"],
  ["begins as delivered", [note("delivered", "made")], "record k begins as delivered"],
  [
    "of a call begins before its delivery",
    [note("claimed", "made", "channel/v")],
    "record channel/v begins as claimed",
  ],
  ["is made twice", [...wayTo("paid"), note("claimed", "made")], "record k is made twice"],
  [
    "changes after it is gone",
    [...wayTo("paid"), note("paid", "gone"), note("delivered", "changed")],
    "record k is changed, and was never made",
  ],
  [
    "is handed to another payment",
    [...wayTo("claimed"), { ...note("settling", "changed"), row: { state: "settling", ...other } }],
    "record k is that of another payment",
  ],
])("no run of the table: a record %s", (_, steps, words) => {
  expect(checkRecordSteps(steps).broken).toEqual([words]);
});

test("a record that is gone is made again, and a kept call begins with its delivery", () => {
  const again = [...wayTo("delivered"), note("delivered", "gone"), ...wayTo("paid")];
  const call = note("delivered", "made", "channel/v");
  expect(checkRecordSteps([...again, call]).broken).toEqual([]);
});

test("steps that nobody has noted prove nothing", () => {
  expect(brokenRecordSteps([checkRecordSteps([])], true)).toHaveLength(1);
  expect(brokenRecordSteps([checkRecordSteps([])], false)).toEqual([]);
  expect(brokenRecordSteps([checkRecordSteps(wayTo("paid"))], true)).toEqual([]);
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "farthing-traces-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
