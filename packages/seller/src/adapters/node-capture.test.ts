/** What the capture does when the buyer hangs up; the rest is tested over HTTP. */
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { capture } from "./node-capture.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const response = () => new ServerResponse(new IncomingMessage(new Socket()));

test("a handler may begin to answer for half a minute after its buyer has gone", async () => {
  const res = response();
  const { response: caught } = capture(res);
  res.emit("close");
  vi.advanceTimersByTime(29_999);
  res.end("late");
  expect(await (await caught).text()).toBe("late");
});

test("a handler that never answers is given up then", async () => {
  const res = response();
  const given = expect(capture(res).response).rejects.toThrow("The connection closed");
  res.emit("close");
  vi.advanceTimersByTime(30_000);
  await given;
});

test("a buyer who had gone before the handler began is noticed as well", async () => {
  const res = response();
  res.destroy();
  res.emit("close");
  const given = expect(capture(res).response).rejects.toThrow("The connection closed");
  vi.advanceTimersByTime(30_000);
  await given;
});

test("close gives the response back", () => {
  const res = response();
  const caught = capture(res);
  res.write("lost");
  expect(res.headersSent).toBe(true);
  caught.close();
  expect(res.headersSent).toBe(false);
  res.end("sent");
  expect(res.writableEnded).toBe(true);
});

test("a handler that comes after another answer does no harm", () => {
  const res = response();
  const caught = capture(res);
  const outlet = caught.open();
  res.writeHead(504);
  caught.silence();
  outlet.end();
  res.statusCode = 200;
  res.setHeader("X-Late", "1").writeHead(200, { "X-Later": "1" });
  res.end("late");
  expect([res.hasHeader("X-Late"), res.writableEnded]).toEqual([false, true]);
});

test("the head is caught by its old name as well", async () => {
  const res = response();
  const caught = capture(res);
  const writeHeader: unknown = Reflect.get(res, "writeHeader");
  if (typeof writeHeader === "function") writeHeader.call(res, 302, { Location: "/content" });
  res.end();
  const { status, headers } = await caught.response;
  expect([status, headers.get("Location"), res.hasHeader("Location")]).toEqual([
    302,
    "/content",
    true,
  ]);
});

test("early hints stay inside", () => {
  const res = response();
  const sent = vi.fn<() => boolean>(() => true);
  Object.assign(res, { _writeRaw: sent });
  capture(res);
  const told = vi.fn<() => void>();
  res.writeEarlyHints({ link: "</content>; rel=preload" }, told);
  if ("writeInformation" in res && typeof res.writeInformation === "function") {
    res.writeInformation(103, { link: "</content>; rel=preload" });
  }
  expect(sent).not.toHaveBeenCalled();
});

test("a handler that fails before it answers is heard of", async () => {
  const caught = capture(response());
  caught.fail(new Error("no database"));
  await expect(caught.response).rejects.toThrow("no database");
});
