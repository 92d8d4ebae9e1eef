/** `farthing-operator init`: what it writes, for whom, and what it refuses. */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { existsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { walletAddressOf } from "@farthing/facilitator";
import { Command, CommanderError } from "commander";
import { afterAll, afterEach, expect, onTestFinished, test, vi } from "vitest";
import { register } from "./init.ts";

const work = mkdtempSync(join(tmpdir(), "farthing-init-"));
afterAll(() => rmSync(work, { recursive: true, force: true }));
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** Runs the command without a terminal, in this process. */
async function init(...args: string[]) {
  const said = { out: "", error: "" };
  vi.spyOn(console, "log").mockImplementation((line) => void (said.out += `${line}\n`));
  vi.spyOn(console, "error").mockImplementation((line) => void (said.error += `${line}\n`));
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    said.error += String(text);
    return true;
  });
  const program = new Command().exitOverride().configureOutput({
    writeErr: (text) => void (said.error += text),
  });
  register(program);
  for (const one of program.commands) one.exitOverride().copyInheritedSettings(program);
  const before = process.exitCode;
  process.exitCode = 0;
  try {
    await program.parseAsync(["init", ...args], { from: "user" });
    return { code: process.exitCode, ...said };
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return { code: 2, ...said };
  } finally {
    process.exitCode = before;
    vi.restoreAllMocks();
  }
}

const read = (...path: string[]) => readFileSync(join(work, ...path), "utf8");
const modeOf = (path: string) => statSync(path).mode & 0o777;
const domain = ["--domain", "pay.example.com"];
const payTo = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C";
const sale = ["--to", "https://api.example.com", "--price", "0.02", "--pay-to", payTo];

test("secrets are for the user of the containers alone, and are not printed", async () => {
  const umask = process.umask(0o002);
  vi.stubEnv("FARTHING_RPC_51", "https://node.example/key-of-a-provider");
  const folder = join(work, "pay");
  const written = await init(folder, "--postgres", ...domain, "--wallets", "2");
  process.umask(umask);
  expect(written.code).toBe(0);
  const user = process.getuid?.() === 0 ? 1000 : process.getuid?.();
  const names = ["database-url", "postgres-password", "relayer-keys", "rpc-51", "id-secret"];
  expect(readdirSync(join(folder, "secrets")).sort()).toEqual(names.toSorted());
  for (const path of ["secrets", "data"]) {
    expect([path, modeOf(join(folder, path))]).toEqual([path, 0o700]);
    expect([path, statSync(join(folder, path)).uid]).toEqual([path, user]);
  }
  const texts = names.map((name) => {
    const path = join(folder, "secrets", name);
    expect([name, modeOf(path), statSync(path).uid]).toEqual([name, 0o600, user]);
    return readFileSync(path, "utf8").trim();
  });
  const [databaseUrl = "", password = "", keys = "", rpc, idSecret = ""] = texts;
  expect(rpc).toBe("https://node.example/key-of-a-provider");
  expect(databaseUrl).toBe(`postgres://farthing:${password}@postgres:5432/farthing`);
  expect(written.out).toBe(`${keys.split(",").map(walletAddressOf).join("\n")}\n`);
  const shown = written.out + written.error + read("pay", ".env");
  for (const secret of [password, idSecret, "key-of-a-provider", ...keys.split(",")]) {
    expect(secret.length).toBeGreaterThan(10);
    expect(shown.includes(secret)).toBe(false);
  }
  expect(read("pay", ".env")).toContain(`CONTAINER_USER=${user}:`);
  expect(written.error).toMatch(
    /send each XDC on eip155:51[^]*\n {2}cd .*\n {2}docker compose up -d\n {2}docker compose run --rm facilitator doctor\n/,
  );
});

test("only its owner can change the folder, whatever the umask is", async () => {
  const umask = process.umask(0);
  const folder = join(work, "services", "open");
  const written = await init(folder, "--gateway", ...domain, ...sale);
  const empty = join(work, "empty");
  mkdirSync(empty, { mode: 0o777 });
  const filled = await init(empty, ...domain);
  process.umask(umask);
  expect([written.code, filled.code]).toEqual([0, 0]);
  const all = [join(work, "services"), folder, empty].flatMap((one) => [
    one,
    ...readdirSync(one, { recursive: true }).map((name) => join(one, String(name))),
  ]);
  expect(all.length).toBeGreaterThan(15);
  expect(all.filter((path) => (modeOf(path) & 0o022) !== 0)).toEqual([]);
});

test("two folders have no secret in common", async () => {
  for (const name of ["one", "other"]) await init(join(work, name), "--postgres", ...domain);
  for (const name of ["relayer-keys", "postgres-password", "id-secret"]) {
    expect(read("one", "secrets", name)).not.toBe(read("other", "secrets", name));
  }
});

test("no file is replaced: the message names what is there, and what to do", async () => {
  const folder = join(work, "taken");
  mkdirSync(folder);
  writeFileSync(join(folder, "compose.yaml"), "mine");
  const refused = await init(folder, ...domain);
  expect([refused.code, refused.out]).toEqual([3, ""]);
  expect(refused.error).toBe(
    `farthing-operator init: ${folder} has compose.yaml. Nothing was written: name a new folder, or move away what is there.\n`,
  );
  expect(readdirSync(folder)).toEqual(["compose.yaml"]);
  const file = await init(join(folder, "compose.yaml"), ...domain);
  expect([file.code, file.error]).toEqual([3, expect.stringContaining("is no folder")]);
  expect(read("taken", "compose.yaml")).toBe("mine");
});

test.each([
  [3, [], "Set --domain. Nothing was written."],
  [3, ["--gateway", ...domain], "Set --to, --price, --pay-to. Nothing was written."],
  [2, ["--to", "https://origin.example", ...domain], "--to needs --gateway"],
  [2, ["--postgres", "--gateway", ...domain], "cannot be used with option '--gateway'"],
  [2, ["--domain", "https://pay.example.com"], "without https://"],
  [2, ["--domain", "localhost"], "Use a public name"],
  [2, ["--network", "eip155:1337", ...domain], "Use eip155:51 or eip155:50."],
  [2, ["--rpc", "http://127.0.0.1:8545", ...domain], "Use the host host.docker.internal"],
])("exit code %i for %j", async (code, args, text) => {
  const folder = join(work, "never");
  const refused = await init(folder, ...args);
  expect([refused.code, refused.error]).toEqual([code, expect.stringContaining(text)]);
  expect(existsSync(folder)).toBe(false);
});

test("an endpoint of the environment that cannot be used is not repeated", async () => {
  vi.stubEnv("FARTHING_RPC_51", "node.example/key-of-a-provider");
  const refused = await init(join(work, "wrong"), ...domain);
  expect(refused.error).toContain("FARTHING_RPC_51 cannot be used. Use an http or https URL.");
  expect([refused.code, refused.error]).not.toContain("key-of-a-provider");
});

test("values stand where the examples were, whatever they look like", async () => {
  vi.stubEnv("FARTHING_API_KEY", "fk_test_1");
  const place = ["--facilitator-url", "https://pay.example.com", "--domain", "shop.example.org"];
  const written = await init(join(work, "shop"), "--gateway", ...sale, ...place);
  expect([written.code, written.out]).toEqual([0, ""]);
  expect(readdirSync(join(work, "shop", "secrets"))).toEqual(["api-key"]);
  const file = read("shop", "gateway", "gateway.yaml");
  expect(file).toContain('\npublicUrl: "https://shop.example.org"');
  expect(file).toContain('  api: { url: "https://api.example.com" }');
  expect(file).toContain(`\npayTo: "${payTo}"`);
  expect(file).toContain('price: "0.02"');
  expect(file).toContain(
    '\nfacilitator: { url: "https://pay.example.com", apiKey: "${FARTHING_API_KEY}" }\n',
  );
  expect(file).not.toContain("fk_test_1");
});

test("asks on a terminal, again after a wrong reply", async () => {
  const bin = fileURLToPath(new URL("../bin/farthing-operator.js", import.meta.url));
  const words = [process.execPath, bin, "init", join(work, "asked")].join(" ");
  const child = spawn("script", ["-qec", words, "/dev/null"], {
    env: {
      PATH: process.env["PATH"],
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      TERM: "xterm",
    },
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill());
  const replies: [string, string][] = [
    ["What to run", ""],
    ["Domain name", "https://pay.example.com"],
    ["Domain name", "pay.example.com"],
    ["Network", ""],
    ["[https://erpc.apothem.network]", ""],
  ];
  let shown = "";
  for await (const piece of child.stdout.setEncoding("utf8")) {
    shown += piece;
    // The line was cleared before the question and not after it, and the cursor stands behind it.
    const line = stripVTControlCharacters(shown.split("\u001b[0J").slice(1).at(-1) ?? "");
    const question = /^([^\n]+): $/.exec(line)?.[1];
    if (question === undefined) continue;
    const [expected = "no question", reply = ""] = replies.shift() ?? [];
    expect(question).toContain(expected);
    shown += "|";
    child.stdin.write(`${reply}\r`);
  }
  expect([replies, shown]).toEqual([[], expect.stringContaining("Use a public name")]);
  expect(read("asked", ".env")).toContain("SITE_NAME=pay.example.com\n");
  expect(read("asked", "secrets", "rpc-51")).toBe("https://erpc.apothem.network\n");
});
