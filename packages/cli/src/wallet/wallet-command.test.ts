/** `farthing wallet` as a user runs it, and paying from a keystore. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { otherPayee, payer, served, startSeller, testKey } from "@farthing/buyer/testing";
import { farthing, onTerminal } from "../command/farthing-bin.testing.ts";

let home = "";
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), "farthing-wallets-"));
});
afterAll(() => rmSync(home, { recursive: true }));

const password = "correct horse";

/** Runs with the home of this file and without a key in the environment. */
function run(
  args: readonly string[],
  options: {
    readonly input?: string;
    readonly environment?: Readonly<Record<string, string>>;
  } = {},
) {
  const { input, environment } = options;
  return farthing(args, {
    environment: { FARTHING_WALLET_KEY: "", XDG_CONFIG_HOME: home, ...environment },
    ...(input === undefined ? {} : { input }),
  });
}

test("create, import, list, use, and pay from each", async () => {
  const created = await run(["wallet", "create", "fresh", "--password-stdin", "--json"], {
    input: password,
  });
  expect([created.code, created.stderr]).toEqual([0, ""]);
  const { address }: { address: string } = JSON.parse(created.stdout);
  const file = join(home, "farthing", "wallets", "fresh.json");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ version: 3 });

  const input = `${password}\n${testKey}\n`;
  const imported = await run(["wallet", "import", "test", "--password-stdin", "--json"], { input });
  expect(JSON.parse(imported.stdout)).toEqual({ name: "test", address: payer });
  expect(JSON.parse((await run(["wallet", "list", "--json"])).stdout)).toEqual([
    { name: "fresh", address, isInUse: true },
    { name: "test", address: payer, isInUse: false },
  ]);
  expect((await run(["wallet", "address"])).stdout).toBe(`${address}\n`);
  expect((await run(["wallet", "use", "test"])).code).toBe(0);
  expect((await run(["wallet", "address"])).stdout).toBe(`${payer}\n`);

  await using seller = await startSeller();
  const environment = { FARTHING_WALLET_PASSWORD: password };
  expect((await run(["pay", seller.url], { environment })).stdout).toBe("content");
  expect(seller.payment().authorization.from).toBe(payer);
  await using other = await startSeller({ paid: [served({ payer: address })] });
  const flags = ["--wallet", "fresh", "--password-stdin"];
  expect((await run(["pay", ...flags, other.url], { input: password })).code).toBe(0);
  expect(other.payment().authorization.from).toBe(address);
  // For a look no password is needed, and the payer is known.
  expect(JSON.parse((await run(["inspect", seller.url, "--json"])).stdout)).toMatchObject({
    wouldPay: true,
  });
});

test("a wrong password, or none, signs nothing and shows nothing", async () => {
  const environment = { FARTHING_WALLET_PASSWORD: password };
  await run(["wallet", "import", "mine"], { environment, input: `${testKey}\n` });
  await using seller = await startSeller();
  const pay = ["pay", "--wallet", "mine", seller.url];
  for (const given of ["wrong", ""]) {
    const outcome = await run(pay, { environment: { FARTHING_WALLET_PASSWORD: given } });
    expect([outcome.code, outcome.stdout]).toEqual([3, ""]);
    expect(outcome.stderr).toContain("password");
    expect(outcome.stderr).not.toContain(testKey.slice(2));
  }
  expect(seller.paid).toHaveLength(0);
});

test("a keystore of another program is taken over", async () => {
  const environment = { FARTHING_WALLET_PASSWORD: password };
  await run(["wallet", "import", "one"], { environment, input: testKey });
  const path = join(home, "farthing", "wallets", "one.json");
  const imported = await run(["wallet", "import", "two", "--keystore", path, "--json"], {
    environment,
  });
  expect(JSON.parse(imported.stdout)).toEqual({ name: "two", address: payer });
  const broken = join(home, "broken.json");
  writeFileSync(broken, "{}");
  const refused = await run(["wallet", "import", "x", "--keystore", broken], { environment });
  expect([refused.code, refused.stdout]).toEqual([3, ""]);
});

test.each([
  ["a name that is a path", ["wallet", "create", "../x"], password, 3],
  ["a key that is none", ["wallet", "import", "x"], "1234", 3],
  ["no password at all", ["wallet", "create", "x"], "", 3],
  ["a wallet that is not there", ["wallet", "use", "nobody"], "", 3],
  ["the address of nobody", ["wallet", "address", "nobody"], "", 3],
  ["a balance without a node", ["wallet", "balance", otherPayee], "", 3],
  [
    "a balance of no address",
    ["wallet", "balance", "0x12", "--rpc-url", "http://127.0.0.1:1"],
    "",
    2,
  ],
] as const)("%s is refused", async (_, args, input, exit) => {
  const { code, stdout, stderr } = await run(args, { input });
  expect([code, stdout]).toEqual([exit, ""]);
  expect(stderr).not.toContain("1234");
});

test("a wallet is never written over another", async () => {
  const environment = { FARTHING_WALLET_PASSWORD: password };
  const create = ["wallet", "create", "only", "--json"];
  const runs = await Promise.all([run(create, { environment }), run(create, { environment })]);
  expect(new Set(runs.map(({ code }) => code))).toEqual(new Set([0, 3]));
  const [kept] = runs.filter(({ code }) => code === 0);
  const { address }: { address: string } = JSON.parse(kept?.stdout ?? "");
  expect((await run(["wallet", "address", "only"])).stdout).toBe(`${address}\n`);
});

test("a table for a person", async () => {
  const environment = { XDG_CONFIG_HOME: mkdtempSync(join(home, "table-")) };
  const more = { ...environment, FARTHING_WALLET_PASSWORD: password };
  await farthing(["wallet", "import", "mine"], { environment: more, input: testKey });
  const { stdout } = await farthing(["wallet", "list"], { environment, ...onTerminal });
  expect(stdout).toMatch(new RegExp(`^Name +Address +Default\nmine +${payer} +yes\n$`));
});
