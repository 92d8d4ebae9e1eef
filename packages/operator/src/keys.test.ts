/** `farthing keys` as an operator runs it: a key is shown once, and never again. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { farthing, type Run } from "farthing/testing";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "farthing-keys-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const account = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C";

const environment = () => ({ DATABASE_URL: `sqlite:${join(folder, "farthing.db")}` });

function keys(...args: string[]): Promise<Run> {
  return farthing(["keys", ...args], { environment: environment() });
}

async function create(): Promise<{ readonly text: string; readonly id: string }> {
  const { code, stdout } = await keys("create", "--account", account, "--label", "shop", "--test");
  expect(code).toBe(0);
  const text = stdout.trim();
  return { text, id: text.slice("fk_test_".length).slice(0, 12) };
}

/** What of a key must not be repeated: all after its id. */
const secretOf = ({ text, id }: { text: string; id: string }) => text.split(id)[1] ?? "";

test("the key alone is on standard output; a list shows its id and not the key", async () => {
  const key = await create();
  expect(key.text).toMatch(/^fk_test_[0-9A-Za-z]{61}$/);
  const { code, stdout } = await keys("list", "--json");
  expect(code).toBe(0);
  expect(stdout).toContain(key.id);
  expect(stdout).not.toContain(secretOf(key));
  expect(JSON.parse(stdout)).toMatchObject([{ id: key.id, account, label: "shop" }]);
  const table = await keys("list");
  expect(table.stdout).toMatch(new RegExp(`^ID .*\\n${key.id}  ${account}  test  active  shop `));
  expect(table.stdout).not.toContain(secretOf(key));
});

test.each([
  ["eip155:51", [], true],
  ["eip155:51", ["--test"], false],
  ["xdc, xdc-apothem", [], false],
])("served %s, a key with %j: a key that no payment can use is named: %s", async (...row) => {
  const [networks, flags, isWarned] = row;
  const { code, stderr } = await farthing(["keys", "create", "--account", account, ...flags], {
    environment: { ...environment(), FARTHING_NETWORKS: networks },
  });
  expect([code, stderr.includes("created with --test")]).toEqual([0, isWarned]);
});

test("revoke: by its id 0, and 9 where no such key works", async () => {
  const { id } = await create();
  expect(await keys("revoke", id)).toMatchObject({ code: 0, stdout: "" });
  for (const gone of [id, "AAAAAAAAAAAA"]) {
    const { code, stderr } = await keys("revoke", gone);
    expect([code, stderr]).toEqual([9, expect.stringContaining(`no working key ${gone}`)]);
  }
});

test("revoke of a whole key: it is taken for its id, and its secret is not repeated", async () => {
  const key = await create();
  const { code, stdout, stderr } = await keys("revoke", key.text);
  expect([code, stderr]).toEqual([0, expect.stringContaining(key.id)]);
  expect(`${stdout}${stderr}`).not.toContain(secretOf(key));
});

test("revoke of what is nearly a key: 2, and nothing of it is repeated", async () => {
  const key = await create();
  const { code, stdout, stderr } = await keys("revoke", `${key.text}x`);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).not.toContain(key.id);
  expect(stderr).not.toContain(secretOf(key));
});

test("a mistyped path is told, and no database comes of it", async () => {
  const path = join(folder, "fartging.db");
  const environment = { DATABASE_URL: `sqlite:${path}` };
  const lists = [
    ["keys", "list"],
    ["accounts", "list"],
    ["credits", "review"],
  ];
  for (const args of lists) {
    const { code, stdout, stderr } = await farthing(args, { environment });
    expect([code, stdout]).toEqual([3, ""]);
    expect(stderr).toMatch(/There is no database at .*fartging\.db\. Set DATABASE_URL/);
  }
  expect(existsSync(path)).toBe(false);
});
