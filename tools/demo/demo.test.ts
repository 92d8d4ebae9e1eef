/** The demo as a person runs it: what it says is on the chain, and nothing of it stays behind. */
import { spawn, type ChildProcess } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { isTransactionHash } from "@farthing/protocol";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { describeDemo } from "./report.ts";

const root = join(import.meta.dirname, "../..");

/** What is told to end is gone within so long; it takes about 100 ms. */
const goneWithin = { timeout: 60_000, interval: 10 };

interface Run {
  readonly npm: ChildProcess;
  /** Of the group that a Ctrl-C in a terminal reaches. */
  readonly group: number;
  /** A folder of its own for temporary files. */
  readonly temporary: string;
  /** All it has printed so far. */
  output(): string;
  /** Resolves when it has printed this. */
  printed(wanted: string): Promise<void>;
}

const runs: Run[] = [];
afterEach(() => {
  for (const { group, temporary } of runs.splice(0)) {
    if (isAlive(-group)) process.kill(-group, "SIGKILL");
    rmSync(temporary, { recursive: true, force: true });
  }
});

function startDemo(...args: string[]): Run {
  const temporary = mkdtempSync(join(tmpdir(), "farthing-demo-test-"));
  const npm = spawn("npm", ["run", "--silent", "demo", "--", ...args], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
    // A group of its own, as a terminal gives to what is typed in it.
    detached: true,
    env: { ...process.env, TMPDIR: temporary },
  });
  let output = "";
  const changed = new EventEmitter();
  npm.stdout
    ?.setEncoding("utf8")
    .on("data", (part: string) => {
      output += part;
      changed.emit("more");
    })
    .once("end", () => changed.emit("error", new Error(`It ended after: ${output}`)));
  // There may be no listener when it ends in good order.
  changed.on("error", () => {});
  const run = {
    npm,
    group: npm.pid ?? 0,
    temporary,
    output: () => output,
    async printed(wanted: string) {
      while (!output.includes(wanted)) await once(changed, "more");
    },
  };
  runs.push(run);
  return run;
}

/** Whether a process is there, or, for a negative number, any process of the group. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** No process of the group, no chain, no file. */
async function expectNothingLeft({ group, temporary }: Run, chainUrl: string): Promise<void> {
  await vi.waitFor(() => expect(isAlive(-group)).toBe(false), goneWithin);
  const chain = connect(Number(new URL(chainUrl).port), "127.0.0.1");
  await expect(once(chain, "connect")).rejects.toMatchObject({ code: "ECONNREFUSED" });
  await vi.waitFor(() => expect(ownFiles(temporary)).toEqual([]), goneWithin);
}

/** Node keeps its compile cache where it likes; everything else in the folder is ours. */
function ownFiles(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.startsWith("farthing"));
}

async function ask<T>(rpcUrl: string, method: string, params: unknown[]): Promise<T> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(rpcUrl, { method: "POST", headers, body });
  const { result }: { result: T } = JSON.parse(await answer.text());
  return result;
}

async function expectMined(rpcUrl: string, hashes: readonly string[]): Promise<void> {
  for (const hash of hashes) {
    const receipt = await ask<unknown>(rpcUrl, "eth_getTransactionReceipt", [hash]);
    expect(receipt).toMatchObject({ status: "0x1" });
  }
}

describe("npm run demo", () => {
  test("--once --json prints one object and ends with 0", async () => {
    const demo = startDemo("--once", "--json");
    expect(await once(demo.npm, "close")).toEqual([0, null]);
    const facts: ReturnType<typeof describeDemo> = JSON.parse(demo.output());
    expect(demo.output()).toBe(`${JSON.stringify(facts)}\n`);
    const { payments, balances } = facts;
    expect(payments.map(({ version, face }) => [version, face])).toEqual([
      [1, "hosted"],
      [2, "public"],
      [2, "public"],
      [2, "public"],
    ]);
    expect(new Set(payments.map(({ transaction }) => transaction)).size).toBe(4);
    for (const { status, transaction, receipt, payer } of payments) {
      expect(status).toBe(200);
      expect(receipt).toMatchObject({ success: true, transaction, payer });
    }
    expect(facts.pass).toMatchObject({ payer: payments[0]?.payer, remaining: [2, 1, 0] });
    expect(isTransactionHash(facts.pass.transaction)).toBe(true);
    const { refund } = facts;
    expect(refund).toMatchObject({ payment: payments[1]?.transaction, amount: "10000" });
    expect(refund.payer).toBe(payments[1]?.payer);
    expect(isTransactionHash(refund.transaction)).toBe(true);
    expect(refund.transaction).not.toBe(refund.payment);
    const { stream } = facts;
    expect(stream).toMatchObject({
      payer: payments[0]?.payer,
      toppedUp: "10000",
      streams: [
        { events: 5, charged: "500", left: "9500" },
        { events: 2, charged: "200", left: "9300" },
      ],
    });
    expect(isTransactionHash(stream.transaction)).toBe(true);
    const gains = balances.map(({ holder, usdcBefore, usdcAfter }) => [
      holder,
      Number(usdcAfter) - Number(usdcBefore),
    ]);
    expect(Object.fromEntries(gains)).toEqual({
      // Three payments, the pass and the balance, of which one payment came back.
      buyer: -40_000,
      "contract wallet": -10_000,
      seller: 50_000,
      relayer: 0,
    });
    await expectNothingLeft(demo, facts.rpcUrl);
    expect([facts.pids.demo, facts.pids.chain].map(isAlive)).toEqual([false, false]);
  });

  test("stays up, its line pays, and Ctrl-C ends all of it", async () => {
    const demo = startDemo();
    await demo.printed("Ctrl-C stops everything.");
    const page = demo.output();
    // Written to a pipe, so no colours, and nothing wider than a terminal but the line to copy.
    expect(page).not.toContain("\u001B");
    const tryLine = /^ {2}(FARTHING_WALLET_KEY=.*)$/m.exec(page)?.[1] ?? "";
    const wide = page.split("\n").filter((line) => line.length > 90 && !line.includes(tryLine));
    expect(wide).toEqual([]);
    const rpcUrl = /^ {2}chain +(\S+)/m.exec(page)?.[1] ?? "";
    const hashes = [...page.matchAll(/settled +(\S+)/g)].map(([, hash = ""]) => hash);
    expect(hashes.filter(isTransactionHash)).toHaveLength(7);
    expect(page).toMatch(/ refunded {2}0\.010000 USDC, to 0x/);
    expect(page).toContain("200 5 events, charged 0.000500, left 0.009500 USDC");
    expect(page).toContain("200 2 events, charged 0.000200, left 0.009300 USDC");
    await expectMined(rpcUrl, hashes);
    expect(page).toMatch(/ deposit +0x[0-9a-f]{64}\n/);
    expect(page).toContain("200, 20 calls at 0.006000 USDC, a voucher for each");
    expect(page).toContain("0.12 USDC for all calls, by the facilitator");
    expect(page).toContain("buyer -0.150000, of it in the channel 0.030000, seller +0.120000 USDC");

    const shell = spawn("sh", ["-c", tryLine], { cwd: root, stdio: ["ignore", "pipe", "ignore"] });
    const [content, [code]] = await Promise.all([text(shell.stdout), once(shell, "exit")]);
    expect([code, JSON.parse(content)]).toMatchObject([0, { place: "Singapore" }]);

    process.kill(-demo.group, "SIGINT");
    await once(demo.npm, "close");
    await expectNothingLeft(demo, rpcUrl);
  });

  test.each(["SIGINT", "SIGTERM"] as const)(
    "%s in the middle of a payment ends all of it",
    async (signal) => {
      const demo = startDemo();
      await demo.printed(" sent ");
      const rpcUrl = /^ {2}chain +(\S+)/m.exec(demo.output())?.[1] ?? "";
      process.kill(-demo.group, signal);
      // How npm itself ends; status 1 would say that something could not be stopped.
      expect(await once(demo.npm, "close")).not.toEqual([1, null]);
      await expectNothingLeft(demo, rpcUrl);
    },
  );
});
