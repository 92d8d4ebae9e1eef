/** `farthing pay` as a user runs it: the real command against sellers over loopback HTTP. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  challenge,
  oneCent,
  otherPayee,
  payer,
  payTo,
  receiptHeader,
  served,
  startSeller,
  testKey,
  transaction,
} from "@farthing/buyer/testing";
import { payExitCodes } from "../command/exit-codes.ts";
import { farthing } from "../command/farthing-bin.testing.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "farthing-pay-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** The line of a failure, with its code and the state of the payment. */
function endsWith(end: string): unknown {
  return expect.stringMatching(
    new RegExp(`^farthing: .* \\(${end.replace(", ", ", payment ")}\\)\n$`),
  );
}

/** The last lines about a payment that may still be used: which one it is, and how to go on. */
const againWithin =
  /\n {2}request id: (req_[0-9a-f]+)\n {2}to send the same payment again, within \d+ s: farthing ledger resume \1\n$/;

test("pays: the body alone on stdout, the payment on stderr, 0", async () => {
  await using seller = await startSeller();
  const { code, stdout, stderr } = await farthing(["pay", seller.url]);
  expect([code, stdout]).toEqual([0, "content"]);
  // Text although it goes into a pipe: programs ask for JSON.
  expect(stderr).toBe(
    `payment settled: 0.01 USDC to ${payTo} on eip155:50\n  https://xdcscan.com/tx/${transaction}\n`,
  );
  expect(seller.paid).toHaveLength(1);
});

test("--json: one object with status, body, payment and receipt, and nothing on stderr", async () => {
  await using seller = await startSeller();
  const { code, stdout, stderr } = await farthing(["pay", "--json", seller.url]);
  expect([code, stderr, stdout.trimEnd().split("\n").length]).toEqual([0, "", 1]);
  expect(JSON.parse(stdout)).toMatchObject({
    status: 200,
    body: "content",
    bodyEncoding: "text",
    paymentStatus: "settled",
    payment: { payer, payTo, amount: "10000" },
    receipt: { success: true, transaction },
    exitCode: 0,
  });
});

test("--max-amount lowers and raises the limit of the run", async () => {
  await using seller = await startSeller({ unpaid: challenge({ ...oneCent, amount: 500_000n }) });
  const low = await farthing(["pay", seller.url]);
  expect([low.code, low.stdout]).toEqual([12, ""]);
  expect(low.stderr).toMatch(
    /^farthing: .* \(per_payment_cap, payment not_sent\)\n {2}for this run alone: --max-amount 0\.5\n {2}for every run from now on: farthing ledger limits set --per-call 0\.5\n$/,
  );
  expect(seller.paid).toHaveLength(0);
  const high = await farthing(["pay", "--max-amount", "0.5", seller.url]);
  expect([high.code, high.stdout]).toEqual([0, "content"]);
});

test("-X -H -d make the request, twice the same", async () => {
  await using seller = await startSeller();
  const body = file("body.json", '{"a":1}');
  const headers = ["-H", "X-Own: 1:2", "-H", "Content-Type: application/json"];
  await farthing(["pay", seller.url, "-X", "put", ...headers, "-d", `@${body}`]);
  await farthing(["pay", seller.url, "-d", "a=1", "--data", "@-"], { input: "b=2" });
  expect(seller.requests.map(({ method, body: sent }) => [method, sent])).toEqual([
    ["PUT", '{"a":1}'],
    ["PUT", '{"a":1}'],
    ["POST", "a=1&b=2"],
    ["POST", "a=1&b=2"],
  ]);
  expect(seller.requests[0]?.headers).toMatchObject({
    "x-own": "1:2",
    "content-type": "application/json",
  });
  expect(seller.requests[2]?.headers["content-type"]).toBe("application/x-www-form-urlencoded");
});

test("-i shows the headers, -o writes the body to a file that is its owner's alone", async () => {
  await using seller = await startSeller();
  const { stdout } = await farthing(["pay", "-i", seller.url]);
  expect(stdout).toMatch(/^HTTP 200 OK\r\n[^]*payment-response: [^]*\r\n\r\ncontent$/);
  const output = join(folder, "out");
  expect((await farthing(["pay", "-o", output, seller.url])).stdout).toBe("");
  expect(readFileSync(output, "utf8")).toBe("content");
  expect(statSync(output).mode & 0o777).toBe(0o600);
});

test("--json gives bytes that are no text in base64", async () => {
  await using seller = await startSeller({ unpaid: { body: "\ufffd" } });
  const bytes = Uint8Array.of(0xff, 0x00);
  await using binary = await startSeller({ unpaid: { body: bytes } });
  expect(JSON.parse((await farthing(["pay", "--json", seller.url])).stdout)).toMatchObject({
    body: "\ufffd",
    bodyEncoding: "text",
    paymentStatus: "not_required",
    payment: null,
  });
  expect(JSON.parse((await farthing(["pay", "--json", binary.url])).stdout)).toMatchObject({
    body: "/wA=",
    bodyEncoding: "base64",
  });
});

test("--prefer v1 pays version 1; --network refuses the others", async () => {
  await using seller = await startSeller();
  expect((await farthing(["pay", "--prefer", "v1", seller.url])).code).toBe(0);
  expect(seller.payment().version).toBe(1);
  const other = await farthing(["pay", "--network", "xdc-apothem", seller.url]);
  expect([other.code, other.stderr]).toEqual([12, endsWith("network_not_allowed, not_sent")]);
});

test("a second run with the same --request-id cannot charge twice: the nonce is the same", async () => {
  await using seller = await startSeller();
  for (const id of ["one", "one", "two"]) {
    await farthing(["pay", "--request-id", id, seller.url]);
  }
  const [first, second, third] = [0, 1, 2].map((at) => seller.payment(at).authorization.nonce);
  expect(second).toBe(first);
  expect(third).not.toBe(first);
});

test("the request id that a run has made up makes the same nonce when it is given", async () => {
  await using seller = await startSeller();
  const { stdout } = await farthing(["pay", "--json", seller.url]);
  const { requestId } = JSON.parse(stdout);
  expect(requestId).toMatch(/^req_[0-9a-f]{32}$/);
  await farthing(["pay", "--request-id", requestId, seller.url]);
  await farthing(["pay", seller.url]);
  const [first, second, third] = [0, 1, 2].map((at) => seller.payment(at).authorization.nonce);
  expect(second).toBe(first);
  expect(third).not.toBe(first);
});

test("--wallet-contract is the payer; the key file's owner signs", async () => {
  await using seller = await startSeller({ paid: [served({ payer: otherPayee })] });
  const environment = {
    FARTHING_WALLET_KEY: "",
    FARTHING_WALLET_KEY_FILE: file("key", `${testKey}\n`),
  };
  const { code } = await farthing(["pay", "--wallet-contract", otherPayee, seller.url], {
    environment,
  });
  expect(code).toBe(0);
  expect(seller.payment().authorization.from).toBe(otherPayee);
});

test.each([
  [
    "the seller refuses again and again",
    { status: 402, headers: receiptHeader({ success: false, errorReason: "no" }) },
    5,
    "ambiguous",
  ],
  ["the seller knows another request", { status: 409 }, 5, "ambiguous"],
  ["content without a receipt", { status: 200, body: "content" }, 11, "ambiguous"],
  [
    "the seller asks to wait for an hour",
    { status: 503, headers: { "Retry-After": "3600" } },
    11,
    "ambiguous",
  ],
  [
    "pending for an hour",
    {
      status: 402,
      headers: {
        ...receiptHeader({ success: false, errorReason: "settlement_pending" }),
        "Retry-After": "3600",
      },
    },
    11,
    "pending",
  ],
  ["a handler's error", { status: 404, body: "no" }, 11, "ambiguous"],
] as const)("%s", async (_, answer, exit, paymentStatus) => {
  await using seller = await startSeller({
    paid: [{ ...answer, headers: { ...("headers" in answer ? answer.headers : {}) } }],
  });
  const { code, stdout, stderr } = await farthing(["pay", seller.url]);
  expect(code).toBe(exit);
  expect(stderr).toMatch(new RegExp(`^payment ${paymentStatus}: 0\\.01 USDC to `));
  expect(stderr).toMatch(againWithin);
  expect(stdout).toBe("body" in answer ? answer.body : "");
  expect(new Set(seller.paid.map(({ paymentHeader }) => paymentHeader)).size).toBe(1);
});

test.each([
  ["no key", [], { FARTHING_WALLET_KEY: "" }, 3],
  ["a key that is none", [], { FARTHING_WALLET_KEY: "0x1234secret" }, 3],
  [
    "a key file that is not there",
    [],
    { FARTHING_WALLET_KEY: "", FARTHING_WALLET_KEY_FILE: "/nowhere/key" },
    3,
  ],
  ["an amount that is none", ["--max-amount", "ten"], {}, 2],
  ["an unknown option", ["--pay-all"], {}, 2],
  ["an unknown network", ["--network", "base"], {}, 2],
  ["a bad header", ["-H", "no colon"], {}, 2],
  ["a missing data file", ["-d", "@/nowhere/x"], {}, 2],
  ["GET with a body", ["-X", "GET", "-d", "x"], {}, 2],
] as const)("%s stops before anything is sent", async (_, args, environment, exit) => {
  await using seller = await startSeller();
  const run = await farthing(["pay", ...args, seller.url], { environment });
  expect([run.code, run.stdout]).toEqual([exit, ""]);
  expect(run.stderr).not.toContain("1234secret");
  expect(seller.requests).toHaveLength(0);
});

test("no address, or one of another kind, is usage; a dead port is the network", async () => {
  expect((await farthing(["pay"])).code).toBe(2);
  expect((await farthing(["pay", "localhost:3000/x"])).code).toBe(2);
  const seller = await startSeller();
  await seller[Symbol.asyncDispose]();
  const { code, stderr } = await farthing(["pay", seller.url]);
  expect([code, stderr]).toEqual([4, endsWith("network, not_sent")]);
});

test("--json reports a failure as its one object too", async () => {
  await using seller = await startSeller();
  const { code, stdout } = await farthing(["pay", "--json", "--max-amount", "0.001", seller.url]);
  expect(code).toBe(12);
  expect(JSON.parse(stdout)).toMatchObject({
    status: null,
    body: null,
    paymentStatus: "not_sent",
    error: { code: "per_payment_cap" },
    exitCode: 12,
  });
});

test("--fail turns an answer of 400 or above into 1, which is named without it too", async () => {
  await using seller = await startSeller({ unpaid: { status: 404, body: "gone" } });
  const plain = await farthing(["pay", seller.url]);
  expect([plain.code, plain.stderr]).toEqual([0, "404 Not Found, no payment required\n"]);
  const { code, stdout } = await farthing(["pay", "--fail", seller.url]);
  expect([code, stdout]).toEqual([1, "gone"]);
});

/** What is said when a person or --max-time stops a run while the payment is out. */
const stoppedOpen = expect.stringMatching(
  new RegExp(`^farthing: Stopped .* \\(interrupted, payment ambiguous\\)${againWithin.source}`),
);

test("--max-time: 10 while nothing is signed, 11 once a payment is out", async () => {
  await using silent = await startSeller({ unpaid: { hang: true } });
  const early = await farthing(["pay", "--max-time", "0.3", silent.url]);
  expect([early.code, early.stderr]).toEqual([10, endsWith("timeout, not_sent")]);
  await using greedy = await startSeller({ paid: [{ hang: true }] });
  const late = await farthing(["pay", "--max-time", "2", greedy.url]);
  expect([late.code, late.stderr]).toEqual([11, stoppedOpen]);
});

test("Ctrl+C with a payment out: 130, and the payment is called ambiguous", async () => {
  const shell = { interrupt: (): void => {} };
  // The seller presses it at the moment when it should answer.
  const answer = {
    get hang() {
      shell.interrupt();
      return true;
    },
  };
  await using seller = await startSeller({ paid: [answer] });
  const run = await farthing(["pay", seller.url], {
    whileRunning: (interrupt) => Object.assign(shell, { interrupt }),
  });
  expect(run.code).toBe(130);
  expect(run.stderr).toEqual(stoppedOpen);
});

test("a file that cannot be written is refused before anything is paid for it: 2", async () => {
  await using seller = await startSeller();
  for (const output of [join(folder, "nowhere/report"), folder]) {
    const { code, stderr } = await farthing(["pay", "-o", output, seller.url]);
    expect([code, stderr]).toEqual([2, endsWith("usage, not_sent")]);
    expect(stderr).toContain(`--output ${output} cannot be written`);
  }
  expect(seller.paid).toHaveLength(0);
});

test.skipIf(!existsSync("/dev/full"))(
  "a disk that is full after the payment: how to get the response again",
  async () => {
    await using seller = await startSeller();
    const { code, stderr } = await farthing(["pay", "-o", "/dev/full", seller.url]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/ENOSPC: .* \(error, payment settled\)\n {2}request id: /);
    expect(stderr).toMatch(
      /\n {2}for the response again, while the seller keeps it: farthing ledger resume req_\w+\n$/,
    );
  },
);

test.each([
  [
    "a password file that is not there",
    { FARTHING_WALLET_KEY: "", FARTHING_WALLET_PASSWORD_FILE: "/nowhere/password" },
    "Cannot read /nowhere/password, the file of FARTHING_WALLET_PASSWORD_FILE, for the password.",
  ],
  [
    "a ledger where none can be",
    { FARTHING_LEDGER: "/dev/null/ledger.jsonl" },
    "The ledger /dev/null/ledger.jsonl cannot be used: ENOTDIR",
  ],
])("%s: the error names it, 3", async (_, environment, message) => {
  await using seller = await startSeller();
  const home = { XDG_CONFIG_HOME: join(folder, "home") };
  const password = { FARTHING_WALLET_KEY: "", FARTHING_WALLET_PASSWORD: "a password" };
  await farthing(["wallet", "create", "shopping"], { environment: { ...home, ...password } });
  const options = { environment: { ...home, ...environment } };
  const { code, stderr } = await farthing(["pay", seller.url], options);
  expect([code, stderr]).toEqual([3, endsWith("configuration, not_sent")]);
  expect(stderr).toContain(message);
  expect(seller.paid).toHaveLength(0);
});

test("content that breaks off after the payment settled is never called unpaid", async () => {
  // Longer than what is awaited whole, so that the break comes while the body is printed.
  const body = "x".repeat(3 * 1024 * 1024);
  await using seller = await startSeller({ paid: [{ ...served(), body, cut: "body" }] });
  const { code, stdout } = await farthing(["pay", "--json", seller.url]);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ paymentStatus: "settled", payment: { transaction } });
  await using silent = await startSeller({ paid: [{ body, cut: "body" }] });
  const unknown = await farthing(["pay", "--json", silent.url]);
  expect(unknown.code).toBe(11);
  expect(JSON.parse(unknown.stdout)).toMatchObject({ paymentStatus: "ambiguous" });
});

test("a ledger that breaks while an earlier payment is sent again: 11, never called unpaid", async () => {
  const ledger = join(folder, "broken.jsonl");
  const busy = { status: 503, headers: { "Retry-After": "3600" } };
  let breaks = false;
  await using seller = await startSeller({
    paid: [
      busy,
      {
        get body() {
          breaks = true;
          writeFileSync(ledger, "{}\n");
          return "content";
        },
      },
    ],
  });
  const args = ["pay", "--json", "--request-id", "order-1", seller.url];
  const environment = { FARTHING_LEDGER: ledger };
  expect((await farthing(args, { environment })).code).toBe(11);
  const { code, stdout } = await farthing(args, { environment });
  expect([breaks, code]).toEqual([true, 11]);
  expect(JSON.parse(stdout)).toMatchObject({ paymentStatus: "ambiguous", exitCode: 11 });
});

test("--json: a body without end stops at a bound and the payment stays told; -o takes it", async () => {
  const headers = { ...receiptHeader(), "Content-Encoding": "gzip" };
  const body = new Uint8Array(gzipSync("a".repeat(17 * 1024 * 1024)));
  await using seller = await startSeller({ paid: [{ headers, body }] });
  const { code, stdout } = await farthing(["pay", "--json", seller.url]);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ body: null, paymentStatus: "settled" });
  const output = join(folder, "long.txt");
  const kept = await farthing(["pay", "--json", "-o", output, seller.url]);
  expect([kept.code, statSync(output).size]).toEqual([0, 17 * 1024 * 1024]);
});

test("the table of exit codes stands in the help and in the README", async () => {
  const { stdout } = await farthing(["pay", "--help"]);
  const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  // The formatter pads the columns.
  const rows = readme.replaceAll(/ +/g, " ").split("\n");
  for (const [code, text] of payExitCodes) {
    expect(stdout).toContain(`  ${code}  ${text}`);
    expect(rows).toContain(`| ${code} | ${text} |`);
  }
});
