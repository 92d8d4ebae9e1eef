/** `farthing account` as it is run, against a real facilitator. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDevnet, type Devnet } from "@farthing/devnet";
import {
  openStore,
  readConfig,
  silentLog,
  startFacilitator,
  type Facilitator,
} from "@farthing/facilitator";
import { networkOfChain } from "@farthing/protocol";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import {
  headerOf,
  readable,
  startMailServer,
  type TestMailServer,
} from "@farthing/facilitator/testing/mail-server";
import { farthing, onTerminal, type Run } from "../command/farthing-bin.testing.ts";

let folder: string;
let devnet: Devnet;
let mail: TestMailServer;
let facilitator: Facilitator;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "farthing-account-"));
  // Blocks come by themselves, so that payments become final.
  devnet = await startDevnet({ buyers: 3, blockTimeSeconds: 1 });
  mail = await startMailServer();
  const config = readConfig({
    env: {
      ...mail.env,
      FARTHING_PORT: "0",
      FARTHING_RPC_51: devnet.rpcUrl,
      FARTHING_RELAYER_KEYS: devnet.relayers[0]?.privateKey ?? "",
      FARTHING_TREASURY: devnet.treasury.address,
      FARTHING_WEBHOOK_INSECURE: "yes",
      FARTHING_LISTING_LOCAL: "yes",
      DATABASE_URL: `sqlite:${join(folder, "farthing.db")}`,
    },
  });
  facilitator = await startFacilitator({ config, log: silentLog });
});
afterAll(async () => {
  await facilitator?.stop();
  await mail?.stop();
  await devnet?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const noMail = { to: [], source: "", isEncrypted: false };
const walletOf = (buyer: number) => devnet.buyers[buyer]?.privateKey ?? "";

/** Runs as one user, whose session stays from run to run. */
function userOf(buyer: number) {
  const home = mkdtempSync(join(folder, "home-"));
  const environment = {
    XDG_CONFIG_HOME: home,
    FARTHING_FACILITATOR_URL: facilitator.url,
    FARTHING_WALLET_KEY: walletOf(buyer),
  };
  const run = (...args: string[]): Promise<Run> => farthing(["account", ...args], { environment });
  return {
    home,
    environment,
    run,
    async read(...args: string[]) {
      const { code, stdout, stderr } = await run(...args, "--json");
      expect([args, code, stderr]).toEqual([args, 0, ""]);
      return JSON.parse(stdout);
    },
  };
}

test("signs in with the wallet, and keeps the session where only its owner reads it", async () => {
  const { home, environment, run, read } = userOf(0);
  const before = await run("keys");
  expect([before.code, before.stderr]).toEqual([3, expect.stringMatching(/account sign-in/)]);
  expect(await read("sign-in")).toMatchObject({ account: devnet.buyers[0]?.address, chainId: 51 });
  expect(statSync(join(home, "farthing", "sessions.json")).mode & 0o777).toBe(0o600);
  expect(await read("keys")).toEqual([]);
  const shown = await farthing(["account", "credits"], { ...onTerminal, environment });
  expect(shown.stdout).toMatch(/^Available +0$/m);
  expect(await run("sign-out")).toEqual({ code: 0, stdout: "", stderr: "" });
  expect((await run("keys")).code).toBe(3);
});

test("signs a member in to the account, which does what the role allows", async () => {
  const { run, read } = userOf(2);
  const [owner, , member] = devnet.buyers;
  if (!owner || !member) throw new Error("there are no wallets");
  const [account, address] = [owner.address, member.address];
  const refused = await run("sign-in", "--account", account);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/did not succeed/) });
  const store = await openStore(`sqlite:${join(folder, "farthing.db")}`);
  const plain = { kind: "plain", chainId: null, role: "read_only", linkedAt: Date.now() } as const;
  await store.ensureAccount(account, Date.now());
  await store.linkWallet({ account, address, ...plain }, { walletsMax: 20 });
  await store.close();
  expect(await read("sign-in", "--account", account)).toMatchObject({ account, wallet: address });
  expect(await read("keys")).toEqual([]);
  const create = await run("keys", "create", "--label", "shop", "--test");
  expect(create).toMatchObject({ code: 1, stderr: expect.stringMatching(/role .* is read only/) });
});

test("invites a wallet, which joins and leaves; lists, changes and removes members", async () => {
  const [owner, joining] = [userOf(0), userOf(1)];
  const [account, address] = [0, 1].map((buyer) => devnet.buyers[buyer]?.address ?? "");
  if (!account || !address) throw new Error("there are no wallets");
  await owner.read("sign-in");
  await joining.read("sign-in");
  const uninvited = await joining.run("join", account);
  expect(uninvited).toMatchObject({ code: 1, stderr: expect.stringMatching(/has not invited/) });
  const invited = await owner.read("members", "invite", address, "--role", "read_only");
  expect(invited).toMatchObject({ address, role: "read_only", chainId: null, invitedBy: account });
  const list = () => owner.read("members");
  const one = { address, role: "read_only" };
  expect(await list()).toContainEqual(expect.objectContaining({ ...one, state: "invited" }));
  const joined = await joining.run("join", account);
  expect(joined).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(`--account ${account}`),
  });
  await owner.read("members", "role", address, "developer");
  const shown = await owner.run("members");
  expect(shown.stdout).toMatch(new RegExp(`${address} +developer +member `));
  expect((await joining.run("leave", account)).code).toBe(0);
  await owner.read("members", "invite", address);
  expect((await owner.run("members", "withdraw", address)).code).toBe(0);
  await owner.read("members", "invite", address);
  expect((await joining.run("join", account)).code).toBe(0);
  expect((await owner.run("members", "remove", address)).code).toBe(0);
  expect(JSON.stringify(await list())).not.toContain(address);
});

const ask = (key: string) =>
  fetch(`${facilitator.url}/v1/key`, { headers: { authorization: `Bearer ${key}` } });

test("creates, rotates and revokes keys", async () => {
  const { run, read } = userOf(1);
  await read("sign-in", "--network", "xdc-apothem");
  const made = await read("keys", "create", "--label", "shop", "--test");
  expect(made).toMatchObject({ label: "shop", mode: "test", expiresAt: null });
  expect(await (await ask(made.key)).json()).toMatchObject({ account: devnet.buyers[1]?.address });
  await expect
    .poll(() => read("logs", "--path", "/v1/key", "--mode", "test"))
    .toMatchObject([{ status: 200, path: "/v1/key", key: { id: made.id, label: "shop" } }]);
  const rotated = await read("keys", "rotate", made.id, "--overlap", "0");
  expect((await ask(made.key)).status).toBe(401);
  expect((await ask(rotated.key)).status).toBe(200);
  expect(await run("keys", "revoke", rotated.id)).toMatchObject({ code: 0 });
  expect((await ask(rotated.key)).status).toBe(401);
  const list: readonly { readonly status: string }[] = await read("keys", "list");
  expect(list.map(({ status }) => status)).toEqual(["revoked", "expired"]);
  expect(await run("keys", "revoke", "000000000000")).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/no such key/),
  });
});

test("buys credits, and waits until they are there", async () => {
  const { read } = userOf(2);
  await read("sign-in");
  const before = await devnet.usdc.balanceOf(devnet.treasury.address);
  const bought = await read("credits", "buy", "1500", "--yes");
  expect(bought).toMatchObject({ state: "credited", credits: 1500, amount: "1500000" });
  expect((await devnet.usdc.balanceOf(devnet.treasury.address)) - before).toBe(1_500_000n);
  expect(await read("credits")).toMatchObject({ available: 1500 });
});

test("adds and removes listings", async () => {
  const { home, run, read } = userOf(0);
  await read("sign-in");
  const file = join(home, "listing.json");
  const network = networkOfChain(51).id;
  const resource = "https://127.0.0.1:1/report";
  writeFileSync(
    file,
    JSON.stringify({ resource, method: "GET", network, amount: "1", title: "Report" }),
  );
  const listing = await read("listings", "add", file);
  expect(await read("listings")).toMatchObject([{ id: listing.id, resource }]);
  expect(await run("listings", "remove", listing.id)).toMatchObject({ code: 0 });
  expect(await read("listings")).toEqual([]);
});

test("adds and removes webhooks", async () => {
  const { run, read } = userOf(0);
  await read("sign-in");
  const url = "http://127.0.0.1:1/hook";
  const added = await read("webhooks", "add", url, "--event", "credits.low");
  expect(added).toMatchObject({ url, events: ["credits.low"], secret: expect.any(String) });
  expect(await read("webhooks")).toMatchObject([{ id: added.id }]);
  const paused = await read("webhooks", "pause", added.id);
  expect(paused).toMatchObject({ id: added.id, disabledBy: "owner" });
  const events = ["credits.low", "settlement.failed"];
  const changed = await read("webhooks", "events", added.id, ...events);
  expect(new Set(changed.events)).toEqual(new Set(events));
  expect(await read("webhooks", "resume", added.id)).toMatchObject({ disabledAt: null });
  expect(await run("webhooks", "remove", added.id)).toMatchObject({ code: 0 });
  expect(await read("webhooks")).toEqual([]);
});

test("adds an e-mail address, which is confirmed by its link, and changes and removes it", async () => {
  const { run, read } = userOf(0);
  await read("sign-in");
  expect((await run("emails")).stderr).toBe("No e-mail addresses.\n");
  const address = "anna@shop.example";
  const added = await run("emails", "add", address, "--event", "credits.low", "--json");
  expect([added.code, added.stderr]).toEqual([0, expect.stringMatching(/^Open the link in the /)]);
  const { id, ...rest } = JSON.parse(added.stdout);
  expect(rest).toMatchObject({ address, events: ["credits.low"], state: "unconfirmed" });
  // The notices begin with the link alone.
  const early = await run("emails", "pause", id);
  expect([early.code, early.stderr]).toEqual([1, expect.stringMatching(/is not confirmed/)]);
  expect(await run("emails", "link", id)).toMatchObject({ code: 0 });
  expect(mail.received.map((one) => [one.to, headerOf(one, "To")])).toEqual([
    [[address], address],
    [[address], address],
  ]);
  const [, link = ""] = /(http:\S+)/.exec(readable(mail.received[1] ?? noMail)) ?? [];
  expect((await fetch(link, { method: "POST" })).status).toBe(200);
  expect(await read("emails", "events", id, "all")).toMatchObject({ state: "active" });
  expect(await read("emails", "pause", id)).toMatchObject({ state: "paused", pausedBy: "owner" });
  expect(await read("emails", "resume", id)).toMatchObject({ state: "active" });
  expect((await run("emails")).stdout).toMatch(/anna@shop\.example/);
  expect(await run("emails", "remove", id)).toMatchObject({ code: 0 });
  expect(await read("emails")).toEqual([]);
});

test("signs no text of another site", async () => {
  const seen: string[] = [];
  const address = devnet.buyers[0]?.address ?? "";
  const message = `bank.example wants you to sign in with your Ethereum account:\n${address}\n\n`;
  const impostor = createServer((request, response) => {
    seen.push(request.url ?? "");
    response.setHeader("set-cookie", "__Host-farthing-signin=x");
    response.end(JSON.stringify({ requestId: "sgn_1", message }));
  });
  await new Promise<void>((resolve) => impostor.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void impostor.close());
  const at = impostor.address();
  const port = typeof at === "object" ? (at?.port ?? 0) : 0;
  const { run } = userOf(0);
  const args = ["sign-in", "--facilitator", `http://127.0.0.1:${port}`, "--network", "eip155:51"];
  expect(await run(...args)).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(/nothing was signed/),
  });
  expect(seen).toEqual(["/v1/account/sign-in"]);
});

test("refuses what cannot be asked, with its exit code", async () => {
  const { run } = userOf(0);
  expect((await run("sign-in", "--facilitator", "http://pay.example")).code).toBe(3);
  expect((await run("sign-in", "--facilitator", "http://127.0.0.1:1")).code).toBe(4);
  expect((await run("sign-in", "--network", "base")).code).toBe(2);
  expect((await run("credits", "buy", "1.5", "--yes")).code).toBe(2);
});
