/** `farthing ledger` and the ledger under `farthing pay`, as a user runs them. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  challenge,
  oneCent,
  otherPayee,
  payer,
  payTo,
  receiptHeader,
  served,
  startSeller,
  type Answer,
} from "@farthing/buyer/testing";
import { fileLedger } from "@farthing/buyer/file-ledger";
import { farthing, onTerminal, type Run } from "../command/farthing-bin.testing.ts";

let folder = "";
let home = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "farthing-ledger-"));
});
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => {
  home = mkdtempSync(join(folder, "home-"));
});

/** Runs with the home of this test; no wallet beside the test key. */
function run(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  return farthing(args, { environment: { XDG_CONFIG_HOME: home, ...environment } });
}

/** The code and the code word of a failure. */
function failure({ code, stderr }: Run): readonly [number | null, string] {
  return [
    code,
    /^farthing: .* \((\w+), payment \w+\)\n(?: {2}for .+: .+\n)*$/.exec(stderr)?.[1] ?? stderr,
  ];
}

const busy: Answer = { status: 503, headers: { "Retry-After": "3600" } };

test("the limit of a day holds over runs; a limit of a call does not raise it", async () => {
  await using seller = await startSeller();
  const environment = { FARTHING_LIMIT_PER_DAY: "0.025" };
  for (const code of [0, 0]) expect((await run(["pay", seller.url], environment)).code).toBe(code);
  const third = await run(["pay", "--max-amount", "1", seller.url], environment);
  expect(failure(third)).toEqual([12, "cumulative_cap"]);
  expect(seller.paid).toHaveLength(2);
  expect((await run(["pay", seller.url], { FARTHING_LIMIT_PER_DAY: "none" })).code).toBe(0);
});

test("two USDC a day unless set otherwise", async () => {
  await using seller = await startSeller({ unpaid: challenge({ ...oneCent, amount: 1_900_000n }) });
  const big = ["pay", "--max-amount", "1.9", seller.url];
  expect((await run(big)).code).toBe(0);
  expect(failure(await run(big))).toEqual([12, "cumulative_cap"]);
});

test("limits set once hold for every run; the environment goes before them", async () => {
  const set = ["ledger", "limits", "set", "--per-call", "0.02", "--open-payments", "1"];
  expect((await run(set)).code).toBe(0);
  expect((await run(["ledger", "limits", "set", "--per-day", "0.03"])).code).toBe(0);
  await using seller = await startSeller();
  await run(["pay", seller.url]);
  const shown = await run(["ledger", "limits", "--json"], { FARTHING_LIMIT_PER_CALL: "0.05" });
  expect(JSON.parse(shown.stdout)).toMatchObject({
    limits: { perCall: "0.050000", perDay: "0.030000", openPayments: 1 },
    used: [{ wallet: payer, spentUsdc: "0.010000", leftUsdc: "0.020000", openPayments: 0 }],
  });
  await using dear = await startSeller({ unpaid: challenge({ ...oneCent, amount: 25_000n }) });
  expect(failure(await run(["pay", dear.url]))).toEqual([12, "per_payment_cap"]);
});

test("lists of hosts and payees hold for every run, until they are taken away", async () => {
  await using seller = await startSeller();
  const { host } = new URL(seller.url);
  const set = (...flags: string[]) => run(["ledger", "limits", "set", ...flags]);
  expect((await set("--hosts", "api.example.com")).code).toBe(0);
  expect(failure(await run(["pay", seller.url]))).toEqual([12, "host_not_allowed"]);
  const FARTHING_ALLOW_HOSTS = `api.example.com, ${host}`;
  expect((await run(["pay", seller.url], { FARTHING_ALLOW_HOSTS })).code).toBe(0);
  await set("--hosts", "none", "--payees", `xdc${otherPayee.slice(2)}`);
  expect(failure(await run(["pay", seller.url]))).toEqual([12, "payee_not_allowed"]);
  expect(JSON.parse((await run(["ledger", "limits", "--json"])).stdout)).toMatchObject({
    allow: { payees: [otherPayee] },
  });
  await set("--payees", "none");
  expect((await run(["pay", seller.url])).code).toBe(0);
});

test("a limit that is misspelt in the settings is no silence", async () => {
  await using seller = await startSeller();
  mkdirSync(join(home, "farthing"));
  for (const settings of [{ limits: { perday: "1" } }, { hosts: "api.example.com" }, []]) {
    writeFileSync(join(home, "farthing", "config.json"), JSON.stringify(settings));
    expect(failure(await run(["pay", seller.url]))).toEqual([3, "configuration"]);
  }
  expect(seller.requests).toHaveLength(0);
});

test.each([
  [["ledger", "limits", "set", "--per-call", "ten"], {}, 2],
  [["ledger", "limits", "set", "--hosts", "https://a.example/"], {}, 2],
  [["ledger", "limits"], { FARTHING_ALLOW_PAYEES: "0x12" }, 3],
  [["ledger", "limits", "set"], {}, 2],
  [["ledger", "limits"], { FARTHING_LIMIT_PER_DAY: "lots" }, 3],
  [["ledger", "reconcile"], {}, 3],
  [["ledger", "show", "nothing"], {}, 9],
  [["ledger", "resume", "nothing"], {}, 9],
  [["receipts", "show", "nothing"], {}, 9],
] as const)("%j %j ends with %i", async (args, environment, exit) => {
  const { code, stdout } = await run(args, environment);
  expect([code, stdout]).toEqual([exit, ""]);
});

test("a host's payee is kept; only the one that is named may take its place", async () => {
  const script = { unpaid: challenge() };
  await using seller = await startSeller({ unpaid: () => script.unpaid });
  expect((await run(["pay", seller.url])).code).toBe(0);
  script.unpaid = challenge({ ...oneCent, payTo: otherPayee });
  expect(failure(await run(["pay", seller.url]))).toEqual([12, "payee_changed"]);
  const wrong = await run(["pay", "--accept-payee", payTo, seller.url]);
  expect(failure(wrong)).toEqual([12, "approval_required"]);
  expect(seller.paid).toHaveLength(1);
  expect((await run(["pay", "--accept-payee", otherPayee, seller.url])).code).toBe(0);
  expect((await run(["pay", seller.url])).code).toBe(0);
  expect(seller.payment(2).authorization.to).toBe(otherPayee);
});

test("--confirm asks: only a yes pays, anything else ends with 7", async () => {
  await using seller = await startSeller();
  const environment = { XDG_CONFIG_HOME: home };
  for (const input of ["", "n\n", "sure\n"]) {
    const refused = await farthing(["pay", "--confirm", seller.url], { environment, input });
    expect([refused.code, refused.stdout]).toEqual([7, ""]);
    expect(refused.stderr).toContain(`Pay 0.01 USDC to ${payTo} on eip155:50?`);
  }
  expect(seller.paid).toHaveLength(0);
  const paid = await farthing(["pay", "--confirm", seller.url], { environment, input: "y\n" });
  expect([paid.code, paid.stdout]).toEqual([0, "content"]);
});

test("five payments without an outcome are enough", async () => {
  await using seller = await startSeller({ paid: [busy] });
  const codes: unknown[] = [];
  for (let count = 0; count < 6; count += 1) codes.push((await run(["pay", seller.url])).code);
  expect(codes).toEqual([11, 11, 11, 11, 11, 12]);
  const { stdout } = await run(["ledger", "list", "--open", "--json"]);
  expect(JSON.parse(stdout)).toHaveLength(5);
});

test("killed with a payment out: the same call again sends the same bytes", async () => {
  const shell = { kill: (): void => {} };
  const first: Answer = {
    get hang() {
      shell.kill();
      return true;
    },
  };
  await using seller = await startSeller({ paid: [first, served()] });
  const call = ["pay", "--request-id", "order", "-d", '{"a":1}', seller.url];
  const killed = await farthing(call, {
    environment: { XDG_CONFIG_HOME: home },
    whileRunning: (send) => Object.assign(shell, { kill: () => send("SIGKILL") }),
  });
  expect([killed.code, killed.stdout]).toEqual([null, ""]);
  expect((await run(call)).stdout).toBe("content");
  expect(seller.paid).toHaveLength(2);
  // Nonce, signature and validBefore: all as they were.
  expect(seller.paid[1]?.paymentHeader).toBe(seller.paid[0]?.paymentHeader);
});

test("resume needs no wallet: the body and the answer are as with pay", async () => {
  await using seller = await startSeller({ paid: [busy, served()] });
  const headers = ["-H", "Accept: text/csv", "-H", "Authorization: Bearer secret-1"];
  const call = ["pay", "--request-id", "order", ...headers, "-d", "a=1", seller.url];
  expect((await run(call)).code).toBe(11);
  const list = await run(["ledger", "list", "--json"]);
  expect(JSON.parse(list.stdout)).toMatchObject([
    { requestId: "order", state: "ambiguous", isOpen: true, amountUsdc: "0.010000" },
  ]);
  const withoutKey = { FARTHING_WALLET_KEY: "" };
  const resume = ["ledger", "resume", "order", "-H", "Authorization: Bearer secret-1"];
  const resumed = await run(resume, withoutKey);
  expect([resumed.code, resumed.stdout]).toEqual([0, "content"]);
  const [one, two] = seller.paid;
  expect([two?.method, two?.body, two?.paymentHeader]).toEqual(["POST", "a=1", one?.paymentHeader]);
  expect(two?.headers).toMatchObject({
    accept: "text/csv",
    authorization: "Bearer secret-1",
    "content-type": "application/x-www-form-urlencoded",
  });
  const show = await run(["ledger", "show", "order", "--json"]);
  expect(JSON.parse(show.stdout)).toMatchObject({
    state: "settled",
    headersLeftOut: ["authorization"],
  });
  // Neither the signature nor what the caller sent as a credential is shown or kept.
  expect(show.stdout).not.toContain(seller.payment().signature.slice(2));
  expect(show.stdout).not.toContain("secret-1");
});

test("resume says what it has to be given again", async () => {
  await using seller = await startSeller({ paid: [busy, served()] });
  const body = "x".repeat(70_000);
  const environment = { XDG_CONFIG_HOME: home };
  const call = ["pay", "--request-id", "order", "-H", "X-Key: k", "-d", "@-", seller.url];
  await farthing(call, { environment, input: body });
  const bare = await run(["ledger", "resume", "order"]);
  expect(bare.stderr).toContain("not kept, pass with -H if needed: x-key");
  expect(bare.stderr).toContain("request_incomplete");
  expect(bare.code).toBe(11);
  const other = await run(["ledger", "resume", "order", "-d", "another"]);
  expect(other.stderr).toContain("request_id_conflict");
  const whole = ["ledger", "resume", "order", "-H", "X-Key: k", "-d", "@-"];
  const resumed = await farthing(whole, { environment, input: body });
  expect([resumed.code, resumed.stdout]).toEqual([0, "content"]);
});

test("a table for a person", async () => {
  await using seller = await startSeller();
  await run(["pay", "--request-id", "order", seller.url]);
  const environment = { XDG_CONFIG_HOME: home };
  const table = await farthing(["ledger", "list"], { environment, ...onTerminal });
  expect(table.stdout).toMatch(
    /^Time +State +USDC .*\n.* settled +0\.01 +127\.0\.0\.1:\d+ +order +0x/,
  );
  const limits = await farthing(["ledger", "limits"], { environment, ...onTerminal });
  expect(limits.stdout).toContain("Per 24 hours   2 USDC");
});

test("passes are listed with what is left of them, also those of a sign-in", async () => {
  const [bought, signedIn] = ["ab", "cd"].map((pair) => `${pair.repeat(16)}.1`);
  const end = new Date(Date.now() + 86_400_000).toISOString();
  const left = (uses: number) => ({ "X-Pass-Remaining": `${uses}`, "X-Pass-Expires": end });
  await using seller = await startSeller({
    unpaid: ({ headers }) => (headers["payment-pass"] ? { headers: left(1) } : challenge()),
    paid: [
      { ...served(), headers: { ...receiptHeader(), ...left(2), "PAYMENT-PASS": bought ?? "" } },
    ],
  });
  await run(["pay", "--request-id", "order", seller.url]);
  const ledger = fileLedger(join(home, "farthing", "ledger.jsonl"));
  expect((await ledger.find("order"))?.answer?.pass?.remaining).toBe(2);
  expect((await run(["pay", seller.url])).code).toBe(0);
  const expiresAtMs = Date.parse(end);
  const url = "https://a.example/r";
  await ledger.keepHeard?.({ token: signedIn ?? "", url, expiresAtMs, remaining: 7 });
  expect(JSON.parse((await run(["passes", "list", "--json"])).stdout)).toMatchObject([
    { id: "ab".repeat(16), requestId: "order", url: seller.url, remaining: 1, expiresAt: end },
    { id: "cd".repeat(16), url, remaining: 7, expiresAt: end },
  ]);
  const environment = { XDG_CONFIG_HOME: home };
  const { stdout } = await farthing(["passes", "list"], { environment, ...onTerminal });
  expect(stdout).toMatch(/^Uses left +Expires .*\n +1 +\d.* 0\.01 .* order\n +7 +\d/);
  expect(stdout).not.toContain(bought);
});

test("a ledger that cannot be trusted stops everything, 3", async () => {
  await using seller = await startSeller();
  const FARTHING_LEDGER = join(import.meta.dirname, "ledger.test.ts");
  const { code, stderr } = await run(["pay", seller.url], { FARTHING_LEDGER });
  expect([code, stderr]).toEqual([3, expect.stringContaining("cannot be trusted")]);
  expect(seller.paid).toHaveLength(0);
});
