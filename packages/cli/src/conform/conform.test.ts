/** `farthing conform` as people and CI meet it: what is missing, what cannot be tested, and its files. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { farthing } from "../command/farthing-bin.testing.ts";

const folder = mkdtempSync(join(tmpdir(), "farthing-conform-test-"));

/** The command line of a server that answers all requests alike. */
function serverOf(name: string, response: string): string {
  const file = join(folder, `${name}.mjs`);
  const listen = 'listen(Number(process.env.PORT), "127.0.0.1", () => console.log("it listens"))';
  writeFileSync(
    file,
    `import { createServer } from "node:http";
    createServer((request, response) => { ${response} }).${listen};`,
  );
  return `exec "${process.execPath}" "${file}"`;
}

/** Has the right list of kinds, and never answers /verify. */
const kinds = [{ x402Version: 2, scheme: "exact", network: "eip155:51" }];
const silent = () =>
  serverOf(
    "silent",
    `if (request.url !== "/verify") response.end('${JSON.stringify({ kinds })}');`,
  );

test.each([
  ["facilitator", "reorganisation"],
  ["seller", "settlement-pending"],
  ["buyer", "limit-holds"],
])("%s: the cases are listed without anything to test", async (role, name) => {
  const { code, stdout } = await farthing(["conform", role, "--list"]);
  expect(code).toBe(0);
  expect(stdout).toContain(`money  ${name}: `);
});

test("a run names the flag that is missing", async () => {
  const { code, stdout, stderr } = await farthing(["conform", "seller"]);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain("--start <command>");
});

test.each([
  [
    "a run without a case is no success",
    ["--profile", "spec", "--only", "reorganisation"],
    "leave --profile out",
  ],
  [
    "a file that cannot be written is named before the run",
    ["--junit", join(folder, "none", "a.xml")],
    "a.xml cannot be written",
  ],
])("%s", async (_what, flags, words) => {
  const { code, stdout, stderr } = await farthing([
    "conform",
    "facilitator",
    "--start",
    "true",
    ...flags,
  ]);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(words);
});

test.each([
  ["facilitator", "ended with the exit code 0", "echo a word", "It printed: a word"],
  ["facilitator", "200 <h1>", serverOf("page", "response.end('<h1>A page</h1>')"), "--base"],
  ["facilitator", "401", serverOf("keys", "response.writeHead(401).end()"), "--header"],
  [
    "facilitator",
    "lists eip155:84532",
    serverOf("base", `response.end('{"kinds":[{"network":"eip155:84532"}]}')`),
    "CONFORM_NETWORK",
  ],
  ["seller", "had 404", serverOf("nothing", "response.writeHead(404).end()"), "--paid"],
  ["buyer", "cannot be run", "no-such-client {url}", "no-such-client"],
])("%s: the cause “%s” ends the run, and the message says what to do", async (...row) => {
  const [role, cause, command, hint] = row;
  const flag = role === "buyer" ? "--run" : "--start";
  const { code, stdout, stderr } = await farthing(["conform", role, flag, command]);
  expect([code, stdout]).toEqual([3, ""]);
  expect(stderr).toContain(`The ${role} could not be tested: `);
  expect(stderr).toContain(cause);
  expect(stderr).toContain(hint);
});

test("a settlement with 400 is not asked for again, and the failure is counted", async () => {
  const body = JSON.stringify({ kinds });
  const start = serverOf(
    "strict",
    `response.writeHead(request.method === "GET" ? 200 : 400).end('${body}');`,
  );
  const flags = ["--start", start, "--only", "settle-valid"];
  const { code, stdout } = await farthing(["conform", "facilitator", ...flags]);
  expect(code).toBe(1);
  expect(stdout).toContain("came       1 × 400");
});

test("Ctrl+C ends a run with what it has found, and leaves nothing that runs", async () => {
  const [junit, badge, log] = ["junit.xml", "badge.svg", "subject.log"].map((name) =>
    join(folder, name),
  );
  const flags = [
    "--only",
    "supported-kinds",
    "--only",
    "verify-valid",
    "--junit",
    `${junit}`,
    "--badge",
    `${badge}`,
    "--log",
    `${log}`,
  ];
  const environment = { TMPDIR: mkdtempSync(join(folder, "tmp-")) };
  const { code, stdout, stderr } = await farthing(
    ["conform", "facilitator", "--start", silent(), ...flags],
    {
      environment,
      onOutput: (text, interrupt) => {
        if (text.includes("supported-kinds")) interrupt();
      },
    },
  );
  expect(code).toBe(130);
  expect(stdout).toContain("1 passed, 0 failed");
  expect(stderr).toContain("Interrupted after 1 of 2 cases.");
  expect(readFileSync(`${junit}`, "utf8")).toContain('tests="1" failures="0"');
  expect(existsSync(`${badge}`)).toBe(false);
  expect(readFileSync(`${log}`, "utf8")).toContain("it listens\n--- pass: supported-kinds\n");
  expect(
    readdirSync(environment.TMPDIR).filter((name) => name.startsWith("farthing-conform")),
  ).toEqual([]);
});
