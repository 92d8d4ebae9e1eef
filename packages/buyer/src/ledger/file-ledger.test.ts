/** A ledger in a file: the promises of every ledger, across processes, crashes and restarts. */
import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { open } from "node:fs/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { buyerBench } from "../buyer-bench.testing.ts";
import { fileLedger } from "./file-ledger.ts";
import { pathTo, reservation, rules, testLedger } from "./ledger.suite.ts";
import { dayMs } from "./limits.ts";
import { otherPayee, payTo, startSeller } from "../scripted-seller.testing.ts";
import { xdc } from "@farthing/protocol";

let folder = "";
let count = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "farthing-ledger-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const newPath = () => join(folder, `${++count}`, "ledger.jsonl");

testLedger(() => fileLedger(newPath()), 10);

test("what one has written the next one knows: amounts, states, pins", async () => {
  const path = newPath();
  const one = fileLedger(path);
  await one.reserve(reservation("r", { amountUnits: 10n ** 20n }), {
    ...rules,
    perDayUnits: undefined,
  });
  await one.transition("r", { state: "signed" });
  const other = fileLedger(path);
  expect(await other.find("r")).toEqual(await one.find("r"));
  expect(await other.pinnedPayee("a.example", xdc.id)).toBe(payTo);
  // And what the other writes afterwards is seen by the first.
  await other.transition("r", { state: "sent" });
  expect((await one.find("r"))?.state).toBe("sent");
  const moved = reservation("s", { payTo: otherPayee });
  expect(await one.reserve(moved, rules)).toEqual({ ok: false, reason: "payee_changed" });
});

test("nobody else can read it: signatures in it can be presented until they expire", async () => {
  const path = newPath();
  await fileLedger(path).reserve(reservation("r"), rules);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(path, "..")).mode & 0o777).toBe(0o700);
});

test("tokens are in a file of their own, which nobody else can read and no payment relies on", async () => {
  await using seller = await startSeller();
  const path = newPath();
  const heard = { token: `${"ab".repeat(16)}.1`, url: seller.url, remaining: 1 };
  await fileLedger(path).keepHeard?.(heard);
  expect(await fileLedger(path).listHeard?.()).toEqual([heard]);
  expect(statSync(`${path}.tokens`).mode & 0o777).toBe(0o600);
  const odd = [
    { ...heard, token: "short" },
    { ...heard, remaining: "1" },
    { ...heard, url: "r" },
    1,
  ];
  writeFileSync(`${path}.tokens`, JSON.stringify({ tokens: [...odd, heard] }));
  expect(await fileLedger(path).listHeard?.()).toEqual([heard]);
  for (const damaged of ["", "[]", '{"tokens":1}', '{"tokens":[']) {
    writeFileSync(`${path}.tokens`, damaged);
    expect(await fileLedger(path).listHeard?.()).toEqual([]);
  }
  const { pay } = buyerBench({ ledger: fileLedger(path) });
  expect((await pay(seller.url)).payment.state).toBe("settled");
});

test("what somebody has put in the place of its next file is neither used nor read", async () => {
  const path = newPath();
  mkdirSync(join(path, ".."));
  const foreign = `${path}.other`;
  writeFileSync(foreign, "");
  symlinkSync(foreign, `${path}.new`);
  await fileLedger(path).reserve(reservation("r"), rules);
  expect(lstatSync(path).isFile()).toBe(true);
  expect(readFileSync(foreign, "utf8")).toBe("");
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("a last line that a crash has cut off is dropped, and the next write takes its place", async () => {
  const path = newPath();
  await fileLedger(path).reserve(reservation("r"), rules);
  const whole = readFileSync(path, "utf8");
  // Longer than what is written next: nothing of it may show through.
  appendFileSync(path, `{"move":{"requestId":"r","state":"signed","signed":"${"x".repeat(500)}`);
  const ledger = fileLedger(path);
  expect((await ledger.find("r"))?.state).toBe("reserved");
  await ledger.transition("r", { state: "released" });
  expect(readFileSync(path, "utf8")).toBe(
    `${whole}{"move":{"requestId":"r","state":"released"}}\n`,
  );
});

test.each([
  ["a line in the middle is damaged", (text: string) => text.replace('"record"', '"recorf"')],
  ["a line is missing", (text: string) => text.split("\n").toSpliced(1, 1).join("\n")],
  ["a request stands twice", (text: string) => text + text.slice(text.indexOf("\n") + 1)],
  ["it is no ledger", () => "{}\n"],
  ["it is empty", () => ""],
])("nothing is paid on the word of a file in which %s", async (_, damage) => {
  await using seller = await startSeller();
  const path = newPath();
  const ledger = fileLedger(path);
  await ledger.reserve(reservation("r"), rules);
  await ledger.transition("r", { state: "signed" });
  writeFileSync(path, damage(readFileSync(path, "utf8")));
  const { pay, signer } = buyerBench({ ledger: fileLedger(path) });
  await expect(pay(seller.url)).rejects.toThrow("cannot be trusted");
  expect(signer.count).toBe(0);
});

test("one file under two names is one ledger, and stays one", async () => {
  const path = newPath();
  const target = fileLedger(path, { spareLinesMax: 0 });
  await target.reserve(reservation("r"), rules);
  const link = join(folder, `${++count}.jsonl`);
  symlinkSync(path, link);
  const ledger = fileLedger(link, { spareLinesMax: 0 });
  for (let at = 0; at < 5; at += 1) {
    await ledger.reserve(reservation("free"), rules);
    await ledger.transition("free", { state: "released" });
  }
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(existsSync(`${link}.lock`)).toBe(false);
  expect((await target.find("free"))?.state).toBe("released");
});

test("a file that goes away while it is used takes no limit with it", async () => {
  await using seller = await startSeller();
  const path = newPath();
  const { pay, signer } = buyerBench({ ledger: fileLedger(path) });
  await pay(seller.url);
  rmSync(path);
  await expect(pay(seller.url)).rejects.toThrow("cannot be trusted: it was taken away");
  expect(signer.count).toBe(1);
});

test("a file that another program has cut while it is used is written to no more", async () => {
  const path = newPath();
  const ledger = fileLedger(path);
  for (const id of ["a", "b"]) await ledger.reserve(reservation(id), rules);
  truncateSync(path, statSync(path).size - 1);
  const more = ledger.reserve(reservation("c"), rules);
  await expect(more).rejects.toThrow("cannot be trusted: it was cut");
});

test("a place where the system lets nothing be written: the error names the ledger", async () => {
  const file = join(folder, "a-file");
  writeFileSync(file, "");
  const path = join(file, "ledger.jsonl");
  await expect(fileLedger(path).reserve(reservation("r"), rules)).rejects.toThrow(
    new RegExp(`^The ledger ${path} cannot be used: E[A-Z]+: .*\\.$`),
  );
});

test("it does not grow without end: old lines go, open payments, receipts and pins stay", async () => {
  const path = newPath();
  const options = { spareLinesMax: 20, settledKeptMax: 3 };
  const [one, other] = [fileLedger(path, options), fileLedger(path, options)];
  const bodyHash = `0x${"ab".repeat(32)}` as const;
  const kept = { url: "https://b.example/r", headers: [], headersLeftOut: [], bodyHash };
  const request = { ...kept, method: "POST", body: "aGk=", bodyBytes: 2 };
  await one.reserve(reservation("open", { host: "b.example", request }), rules);
  for (let at = 0; at < 40; at += 1) {
    // By turns, so that each meets files that the other has replaced.
    const ledger = at % 2 === 0 ? one : other;
    await ledger.reserve(reservation(`r${at}`), { ...rules, perDayUnits: undefined });
    for (const state of pathTo[at % 4 === 0 ? "released" : "settled"]) {
      await ledger.transition(`r${at}`, { state });
    }
    const lines = readFileSync(path, "utf8").split("\n").length;
    // Without replacing it would be 160 and more.
    expect(lines).toBeLessThan(60);
  }
  expect((await one.list()).length).toBeLessThan(20);
  // The payment is sent again with its whole request.
  expect(await fileLedger(path).find("open")).toMatchObject({ state: "reserved", request });
  expect(await fileLedger(path).pinnedPayee("b.example", xdc.id)).toBe(payTo);
  expect((await one.find("r39"))?.state).toBe("settled");
  expect(await other.pinnedPayee("a.example", xdc.id)).toBe(payTo);
});

test("what was spent within a day is never forgotten", async () => {
  const path = newPath();
  const ledger = fileLedger(path, { spareLinesMax: 0, settledKeptMax: 0 });
  const now = Date.now();
  for (const [id, reservedAt] of [
    ["old", now - 2 * dayMs],
    ["new", now - 1000],
  ] as const) {
    await ledger.reserve(reservation(id, { reservedAt }), rules);
    for (const state of pathTo.settled) await ledger.transition(id, { state });
  }
  for (let at = 0; at < 5; at += 1) {
    await ledger.reserve(reservation("free", { reservedAt: now }), rules);
    await ledger.transition("free", { state: "released" });
  }
  expect(await ledger.find("old")).toBeUndefined();
  expect((await ledger.usage(reservation("x"), now - dayMs)).spentUnits).toBe(100n);
});

test("a file of any length is read and replaced in pieces, also where a line is longer than one", async () => {
  const path = newPath();
  // Nearly every call replaces the file.
  const options = { spareLinesMax: 0, pieceBytes: 500 };
  const longLine = 2_000;
  const ids = Array.from({ length: 20 }, (_, nth) => `${nth}`);
  const one = fileLedger(path, options);
  for (const id of ids) {
    const host = `${"a".repeat(id === "7" ? longLine : 100)}.example`;
    await one.reserve(reservation(id, { host }), { ...rules, perDayUnits: undefined });
  }
  // A line that a crash has cut off, and that is longer than a piece as well.
  appendFileSync(path, `{"record":{"requestId":"${"x".repeat(longLine)}`);
  await using handle = await open(path);
  const calls = ["read", "write"].map((name) => vi.spyOn(Object.getPrototypeOf(handle), name));
  const other = fileLedger(path, options);
  expect((await other.list()).map(({ requestId }) => requestId)).toEqual(ids);
  for (const state of pathTo.settled) await other.transition("3", { state });
  expect(await fileLedger(path, options).list()).toEqual(await other.list());
  const lengths = calls.flatMap(({ mock }) => mock.calls.map(([, , length]) => Number(length)));
  vi.restoreAllMocks();
  // Pieces that hold the longest line; each is far from the whole file.
  expect(Math.max(...lengths)).toBeLessThan(4 * longLine);
  expect(statSync(path).size).toBeGreaterThan(5 * longLine);
});
