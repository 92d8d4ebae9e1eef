/** A person at a terminal sees what a command waits for; programs and pipes see nothing of it. */
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { served, startSeller } from "@farthing/buyer/testing";
import { farthing } from "../command/farthing-bin.testing.ts";

const bin = fileURLToPath(new URL("../../bin/farthing.js", import.meta.url));
const terminal = "data:text/javascript,process.stderr.isTTY=true";

/** Answers each request when it is told to. */
let answer: PromiseWithResolvers<void>;
const server = createServer((_request, response) => {
  void answer.promise.then(() => response.end('{"resources":[]}'));
});
let url: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  url = typeof address === "object" && address !== null ? `http://127.0.0.1:${address.port}` : "";
});
afterAll(() => void server.close());

test("on a terminal: what for and how long, gone when it ends", async () => {
  answer = Promise.withResolvers();
  const args = ["--import", terminal, bin, "find", "rain", "--facilitator", url, "--json"];
  const child = spawn(process.execPath, args, { env: { PATH: process.env["PATH"] } });
  const stdout = text(child.stdout);
  let stderr = "";
  child.stderr.on("data", (piece) => {
    stderr += String(piece);
    // The answer comes once the person has seen what is waited for.
    if (/ \d+ s$/.test(stderr)) answer.resolve();
  });
  await new Promise((resolve) => child.once("close", resolve));
  expect(await stdout).toBe("[]\n");
  const [, first = ""] = stderr.split("\r\u001b[2K");
  expect(first).toMatch(/^Searching 127\.0\.0\.1:\d+ … \d+ s$/);
  expect(stderr.endsWith("\r\u001b[2K")).toBe(true);
});

test("a payment that is sent again: why, since when, and for how long at most", async () => {
  const message = "The facilitator does not respond.";
  await using seller = await startSeller({
    paid: [
      {
        status: 503,
        headers: { "Content-Type": "application/json", "Retry-After": "2" },
        body: JSON.stringify({ error: "facilitator_unavailable", message }),
      },
      served(),
    ],
  });
  const { code, stdout, stderr } = await farthing(["pay", seller.url], {
    nodeArguments: ["--import", terminal],
  });
  expect([code, stdout]).toEqual([0, "content"]);
  const lines = stderr.split("\r\u001b[2K");
  expect(lines).toContainEqual(
    expect.stringMatching(
      // This seller gives a payment 60 s.
      /^Sending the payment again after 503: .*The facilitator does not.* … [12] s of [56]\d s$/,
    ),
  );
  // A longer line would wrap, and could not be erased.
  expect(Math.max(...lines.slice(0, -1).map((line) => line.length))).toBeLessThan(80);
});

test("into a pipe, and on a terminal that cannot erase: nothing", async () => {
  answer = Promise.withResolvers();
  answer.resolve();
  const args = ["find", "rain", "--facilitator", url];
  const dumb = { environment: { TERM: "dumb" }, nodeArguments: ["--import", terminal] };
  for (const options of [{}, dumb]) {
    const { code, stdout, stderr } = await farthing(args, options);
    expect([code, stdout, stderr]).toEqual([0, "", "No listings match these words.\n"]);
  }
});
