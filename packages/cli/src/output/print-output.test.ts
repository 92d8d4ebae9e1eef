/** What strangers wrote, printed: nothing of it moves a terminal's cursor or turns text round. */
import { expect, onTestFinished, test, vi } from "vitest";
import { printList } from "./print-output.ts";
import { tableText } from "./table.ts";

/** 8-bit CSI, 7-bit CSI, a turn of direction, a tag beyond the first plane. */
const hostile = "a\u009b2Jb\u001b[2Jc\u202ed\u{e0041}e";

test("as JSON it is the same value, escaped", () => {
  const log = vi.spyOn(console, "log").mockReturnValue();
  onTestFinished(() => log.mockRestore());
  printList([{ title: hostile }], [], "", { json: true });
  const text = String(log.mock.calls[0]?.[0]);
  expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(JSON.parse(text)).toEqual([{ title: hostile }]);
});

test("in a table it is replaced", () => {
  expect(tableText([{ title: hostile }]).replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});

const address = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C";
const payments = [9, 1000].map((cents) => ({
  time: "2024-03-05T10:20:30.000Z",
  state: "settled",
  usdc: `${cents / 100}`,
  host: "a-host-with-a-long-name.example.com",
  request: "req_0123456789abcdef0123456789abcdef",
  payTo: address,
}));
const layout = { wide: ["payTo"], whole: ["request", "usdc"] };

test("a table fits 80 columns: ids whole, heads in words, numbers at the right", () => {
  const lines = tableText(payments, layout, 80).split("\n");
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(lines[0]).toMatch(/^Time +State +USDC +Host +Request$/);
  expect(lines[1]).toMatch(/^ 5 Mar +2024 +settled +0\.09 +a-host-.*… +req_[0-9a-f]{32}$/);
  expect(lines[2]).toMatch(/ settled +10 +a-host/);
});

test("the time of a payment is shown whole, and other texts give way", () => {
  const now = new Date().toISOString();
  const rows = payments.map((one) => ({ ...one, time: now, state: "ambiguous" }));
  const [, line] = tableText(rows, layout, 80).split("\n");
  expect(line).toMatch(/^[ \d]\d \w{3} \d\d:\d\d +ambiguous +0\.09 +a-host.*… +req_[0-9a-f]{32}$/);
  expect(line?.length).toBeLessThanOrEqual(80);
});

test("a wide terminal shows more, and a pipe every value whole", () => {
  expect(tableText(payments, layout, 130)).toMatch(/Pay to\n.*example\.com .* 0x2096…287C/);
  const piped = tableText(payments, layout);
  expect(piped).toContain(`2024-03-05T10:20:30.000Z  settled`);
  expect(piped).toContain(address);
});

test("no list of the commands is wider than its terminal, whatever it holds", () => {
  const rows = [{ id: "i".repeat(12), one: "x".repeat(200), two: "y".repeat(90), yes: true }];
  for (const width of [60, 80, 132]) {
    const lines = tableText(rows, { whole: ["id"] }, width).split("\n");
    expect(lines.map((line) => line.length <= width)).toEqual([true, true]);
  }
});
