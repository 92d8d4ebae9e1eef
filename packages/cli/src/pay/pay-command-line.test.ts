/** The command that the owner is shown: what an agent writes must not become more than words. */
import { execFileSync } from "node:child_process";
import type { Quote } from "@farthing/buyer";
import { xdc } from "@farthing/protocol";
import { expect, test } from "vitest";
import { payCommandLine } from "./pay-command-line.ts";

const payTo = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C";
const quote: Quote = {
  requestId: "req_1",
  method: "POST",
  url: "https://api.example.com/report?city=Paris",
  bodyHash: "0x00",
  version: 2,
  network: xdc,
  asset: xdc.usdc,
  payTo,
  amountUnits: 80_000n,
  amountUsdc: "0.080000",
  maxTimeoutSeconds: 60,
  checks: [],
};
const { url } = quote;

/** What a shell makes of a command. */
function wordsOf(command: string | undefined): string[] {
  const print = 'for word in "$@"; do printf "%s\\0" "$word"; done';
  const script = `set -- ${command ?? ""}\n${print}`;
  return execFileSync("/bin/sh", ["-c", script], { encoding: "utf8" }).split("\0").slice(0, -1);
}

test("pays from the wallet and on the network that the agent has", () => {
  const from = { wallet: "agent", walletContract: payTo, network: "xdc" };
  expect(wordsOf(payCommandLine({ ...quote, method: "GET" }, { url }, from))).toEqual(
    ["farthing", "pay", "--wallet", "agent", "--wallet-contract", payTo].concat([
      "--network",
      "xdc",
      "--max-amount",
      "0.080000",
      "--request-id",
      "req_1",
      url,
    ]),
  );
});

test("is the request, its name and its price", () => {
  const headers = { Accept: "text/csv" };
  expect(wordsOf(payCommandLine(quote, { url, headers, body: "a=1" }))).toEqual(
    ["farthing", "pay", "-H", "Accept: text/csv", "-d", "a=1"].concat([
      "--max-amount",
      "0.080000",
      "--request-id",
      "req_1",
      url,
    ]),
  );
  const checks = [{ name: "pin", verdict: "ask", message: "" } as const];
  const moved = payCommandLine({ ...quote, checks, method: "DELETE" }, { url });
  expect(wordsOf(moved)).toEqual(expect.arrayContaining(["-X", "DELETE", "--accept-payee", payTo]));
});

test.each(["$(touch /tmp/x)", "'; rm -rf / #'", "`id`", '"$HOME"', "a\\'b", "*", "!!", "it's"])(
  "%s stays one word",
  (text) => {
    const words = wordsOf(payCommandLine(quote, { url, body: text, headers: { "X-A": text } }));
    expect(words).toContain(text);
    expect(words).toContain(`X-A: ${text}`);
  },
);

test.each([
  ["names a file to -d", "@/etc/passwd"],
  ["has a line break", "a\nb"],
  ["turns the line around", "a\u202eb"],
  ["is longer than anybody reads", "a".repeat(2001)],
])("a body that %s has none", (_case, body) => {
  expect(payCommandLine(quote, { url, body })).toBeUndefined();
});
