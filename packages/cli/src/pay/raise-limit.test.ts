/** A limit that refuses names the command that raises it, and that command lets the payment pass. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { challenge, oneCent, served, startSeller } from "@farthing/buyer/testing";
import { expect, test } from "vitest";
import { farthing } from "../command/farthing-bin.testing.ts";

const halfDollar = { ...oneCent, amount: 500_000n };

/** Runs in one home, as on a person's machine. */
function atHome(more: Readonly<Record<string, string>> = {}) {
  const home = mkdtempSync(join(tmpdir(), "farthing-home-"));
  return (args: readonly string[]) =>
    farthing(args, { environment: { XDG_CONFIG_HOME: home, ...more } });
}

/** The words of the command after `farthing` on the last line. */
function commandIn(stderr: string): string[] {
  const [, command = ""] = /for every run from now on: farthing (.*)\n$/.exec(stderr) ?? [];
  return command.split(" ");
}

test.each([
  ["one payment", [], "per_payment_cap", "ledger limits set --per-call 0.5"],
  ["a day", ["--per-call", "1", "--per-day", "0.4"], "cumulative_cap", "--per-day 0.5"],
])("the limit of %s", async (_case, limits, code, command) => {
  await using seller = await startSeller({ unpaid: challenge(halfDollar) });
  const run = atHome();
  if (limits.length > 0) await run(["ledger", "limits", "set", ...limits]);
  const refused = await run(["pay", seller.url]);
  expect(refused.stderr).toContain(`(${code}, payment not_sent)`);
  expect(refused.stderr).toContain(command);
  expect((await run(commandIn(refused.stderr))).code).toBe(0);
  expect((await run(["pay", seller.url])).stdout).toBe("content");
});

test("the limit of open payments at a host", async () => {
  const busy = { status: 503, headers: { "Retry-After": "3600" } };
  await using seller = await startSeller({ paid: [busy, served()] });
  const run = atHome();
  await run(["ledger", "limits", "set", "--open-per-host", "1"]);
  expect((await run(["pay", seller.url])).code).toBe(11);
  const refused = await run(["pay", `${seller.url}?other`]);
  expect(refused.stderr).toContain("ledger limits set --open-per-host 2");
  expect((await run(commandIn(refused.stderr))).code).toBe(0);
  expect((await run(["pay", `${seller.url}?other`])).code).toBe(0);
});

test("a limit of the environment is raised there", async () => {
  await using seller = await startSeller({ unpaid: challenge(halfDollar) });
  const run = atHome({ FARTHING_LIMIT_PER_CALL: "0.2" });
  expect((await run(["pay", seller.url])).stderr).toContain(
    "for every run from now on: export FARTHING_LIMIT_PER_CALL=0.5\n",
  );
  const { stdout } = await run(["pay", "--json", seller.url]);
  expect(JSON.parse(stdout)).toMatchObject({
    error: { code: "per_payment_cap", raiseWith: "export FARTHING_LIMIT_PER_CALL=0.5" },
  });
});

test("beside a limit of the run, only that one is named: the stored one did not refuse", async () => {
  await using seller = await startSeller({ unpaid: challenge(halfDollar) });
  const run = atHome();
  await run(["ledger", "limits", "set", "--per-call", "1"]);
  const { stderr } = await run(["pay", "--max-amount", "0.4", seller.url]);
  expect(stderr).toContain("for this run alone: --max-amount 0.5\n");
  expect(stderr).not.toContain("ledger limits set");
  expect((await run(["pay", "--max-amount", "0.5", seller.url])).stdout).toBe("content");
});

test("inspect names the command as well, and pay then passes", async () => {
  await using seller = await startSeller({ unpaid: challenge(halfDollar) });
  const run = atHome();
  const { stdout } = await run(["inspect", seller.url]);
  const [, command = ""] =
    /^To let it pass: --max-amount 0\.5 for one run, or farthing (.*)\n$/m.exec(stdout) ?? [];
  expect((await run(command.split(" "))).code).toBe(0);
  expect((await run(["inspect", seller.url])).stdout).not.toContain("--max-amount");
  const limited = await run(["inspect", "--json", "--max-amount", "0.4", seller.url]);
  expect(JSON.parse(limited.stdout)).toMatchObject({
    error: { code: "per_payment_cap", raiseWith: "--max-amount 0.5" },
  });
});
