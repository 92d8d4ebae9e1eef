/** What strangers wrote, printed: nothing of it moves a terminal's cursor or turns text round. */
import { expect, onTestFinished, test, vi } from "vitest";
import { printList, tableText } from "./print-output.ts";

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
