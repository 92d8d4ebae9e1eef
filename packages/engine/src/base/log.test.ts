/** Lines of the log hold no secret. */
import { isObject } from "@farthing/protocol";
import { expect, test } from "vitest";
import { createLog } from "./log.ts";

/** Writes a line with these fields; returns what a reader of the log sees of them. */
function logged(fields: object): unknown {
  const lines: string[] = [];
  createLog("info", { write: (line) => lines.push(line) }).info(fields, "Tested");
  const line: unknown = JSON.parse(lines.join(""));
  if (!isObject(line)) throw new Error("A line of the log is an object");
  const { level: _level, time: _time, msg: _msg, ...shown } = line;
  return shown;
}

test("a line without secrets is written as it is", () => {
  const fields = { event: "tested", ms: 3, ids: ["a"], wallet: { address: "0x1" }, none: null };
  expect(logged(fields)).toEqual(fields);
});

test("secrets are replaced among the fields and one level below, and the caller keeps its objects", () => {
  const payment = { signature: "0x2", amount: "1" };
  const fields = { url: "https://key@node", apiKey: undefined, payment, list: [{ raw: "0x3" }] };
  expect(logged(fields)).toEqual({
    url: "[secret]",
    payment: { signature: "[secret]", amount: "1" },
    list: [{ raw: "0x3" }],
  });
  expect(payment.signature).toBe("0x2");
});
