/** Every route of the account API names the roles it is open to; every role meets every route. */
import type { Devnet, DevnetWallet } from "@farthing/devnet";
import { isObject, type JsonObject } from "@farthing/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSignedIn, stepUp, type Browser } from "../../../test/support/browser.testing.ts";
import {
  serveOn,
  startChain,
  textAt,
  walletAt,
  type Served,
} from "../../../test/support/facilitator.testing.ts";

const roles = ["owner", "developer", "read_only"] as const;
type Role = (typeof roles)[number];

const all = ["owner", "developer", "read_only"] as const;
const builders = ["owner", "developer"] as const;
const owners = ["owner"] as const;

/** The roles of each operation, written down apart from the table that the service uses. */
const expected: Readonly<Record<string, readonly Role[]>> = {
  readAccount: all,
  changeAccount: owners,
  askForStepUp: all,
  listSessions: all,
  endSession: all,
  endOtherSessions: all,
  listWallets: all,
  askForNewWallet: owners,
  linkWallet: owners,
  unlinkWallet: owners,
  changeRole: owners,
  inviteMember: owners,
  listInvitations: all,
  withdrawInvitation: owners,
  listMemberships: all,
  joinAccount: all,
  leaveAccount: all,
  listKeys: all,
  createKey: builders,
  rotateKey: builders,
  revokeKey: builders,
  readCredits: all,
  listLedger: all,
  createPurchase: owners,
  payPurchase: owners,
  cancelPurchase: owners,
  listPurchases: all,
  readPurchase: all,
  listWebhooks: all,
  createWebhook: builders,
  changeWebhook: builders,
  removeWebhook: builders,
  enableWebhook: builders,
  testWebhook: builders,
  listDeliveries: all,
  resendDelivery: builders,
  listEmails: all,
  addEmail: builders,
  sendEmailLink: builders,
  changeEmail: builders,
  removeEmail: builders,
  listListings: all,
  createListing: builders,
  readListing: all,
  changeListing: builders,
  removeListing: builders,
  checkListing: builders,
  tryListing: builders,
  listChannels: all,
  readChannel: all,
  listSettlements: all,
  readSettlementStory: all,
  readUsage: all,
  readRevenue: all,
  listCustomers: all,
  listRequests: all,
  countRequests: all,
  readRequest: all,
  refund: owners,
};

/** The roles of each action that requires a signature, with details for its text. */
const actions: Readonly<Record<string, { allowed: readonly Role[]; details: object }>> = {
  create_key: { allowed: builders, details: { label: "a", mode: "test", expiresInDays: null } },
  rotate_key: { allowed: builders, details: { id: "AAAAAAAAAAAA", overlap: "0" } },
  webhook_secret: { allowed: builders, details: { url: "https://shop.example/hook" } },
  link_wallet: { allowed: owners, details: { address: `0x${"11".repeat(20)}` } },
  unlink_wallet: { allowed: owners, details: { address: `0x${"11".repeat(20)}` } },
  invite_member: {
    allowed: owners,
    details: { address: `0x${"11".repeat(20)}`, role: "owner", chainId: null },
  },
  change_role: { allowed: owners, details: { address: `0x${"11".repeat(20)}`, role: "owner" } },
  revoke_sessions: { allowed: all, details: {} },
};

interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly description: string;
}

let devnet: Devnet;
let served: Served;
let owner: DevnetWallet;
let ownerBrowser: Browser;
let document: JsonObject;

beforeAll(async () => {
  devnet = await startChain({ buyers: 12 });
  served = await serveOn(devnet, { selfBuilt: false, env: { FARTHING_RATE_LIMIT: "100000" } });
  owner = devnet.seller;
  ownerBrowser = await openSignedIn(served, { wallet: owner });
  document = (await served.get("/openapi.json")).body;
});
afterAll(async () => {
  await served?.stop();
  await devnet?.stop();
});

/** The operations that take a session's cookie. */
function operations(): Operation[] {
  const paths = isObject(document["paths"]) ? document["paths"] : {};
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(isObject(item) ? item : {}).flatMap(([method, operation]) => {
      if (!isObject(operation)) return [];
      const { operationId: id, security, description } = operation;
      const isOurs = JSON.stringify(security ?? []).includes("session");
      if (!isOurs || typeof id !== "string") return [];
      return [{ id, method: method.toUpperCase(), path, description: String(description) }];
    }),
  );
}

async function invite(wallet: DevnetWallet, role: Role, chainId: number | null = null) {
  const details = { address: wallet.address, role, chainId };
  const approval = await stepUp(ownerBrowser, owner, "invite_member", details);
  return ownerBrowser.post("/v1/account/invitations", { ...details, stepUp: approval });
}

/** A browser of a new member in the owner's account. */
async function openMember(wallet: DevnetWallet, role: Role): Promise<Browser> {
  expect((await invite(wallet, role)).status).toBe(201);
  const own = await openSignedIn(served, { wallet });
  const joined = await own.post("/v1/account/memberships", { account: owner.address });
  expect([joined.status, joined.body]).toMatchObject([201, { address: wallet.address, role }]);
  return openSignedIn(served, { wallet, account: owner.address });
}

async function changeRole(wallet: DevnetWallet, role: Role) {
  const details = { address: wallet.address, role };
  const approval = await stepUp(ownerBrowser, owner, "change_role", details);
  const path = `/v1/account/wallets/${wallet.address}`;
  return ownerBrowser.send("PATCH", path, { role, stepUp: approval });
}

test("every operation with a session is in the list above, and no other", () => {
  expect(
    operations()
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual(Object.keys(expected).toSorted());
});

test("without a session, the account API has the routes of the sign-in alone", () => {
  const paths = isObject(document["paths"]) ? Object.entries(document["paths"]) : [];
  const open = paths.flatMap(([path, item]) =>
    Object.values(isObject(item) && path.startsWith("/v1/account") ? item : {}).flatMap((one) =>
      isObject(one) && !JSON.stringify(one["security"] ?? []).includes("session")
        ? [String(one["operationId"])]
        : [],
    ),
  );
  expect(open.toSorted()).toEqual(["beginSignIn", "completeSignIn", "signOut"]);
});

test("each description names the roles", () => {
  for (const { id, description } of operations()) {
    const names = (expected[id] ?? []).map((role) => `\`${role}\``).join(", ");
    expect([id, description]).toEqual([
      id,
      expect.stringContaining(`Roles of the session: ${names}.`),
    ]);
  }
});

describe.each(roles)("a member with the role %s", (role) => {
  let browser: Browser;
  let wallet: DevnetWallet;
  beforeAll(async () => {
    wallet = walletAt(devnet.buyers, roles.indexOf(role));
    browser = await openMember(wallet, role);
  });

  test("is told the role and what it allows", async () => {
    const { body } = await browser.get("/v1/account");
    expect(body).toMatchObject({ account: owner.address, wallet: wallet.address, role });
    const allowed = JSON.stringify(body["permissions"]);
    expect(allowed.includes("manage_members")).toBe(role === "owner");
    expect(allowed.includes("manage_keys")).toBe(role !== "read_only");
  });

  test("meets 403 role_not_allowed where the role does not suffice, and nowhere else", async () => {
    for (const { id, method, path } of operations()) {
      const filled = path.replaceAll(/\{[^}]+\}/g, "nothing");
      const body = method === "GET" ? undefined : {};
      const { status, body: response } = await browser.send(method, filled, body);
      const isAllowed = (expected[id] ?? []).includes(role);
      const isRefused = response["error"] === "role_not_allowed";
      expect([id, isRefused, status === 401]).toEqual([id, !isAllowed, false]);
      if (isRefused) {
        expect(status).toBe(403);
        expect(textAt(response, "message")).toMatch(
          /^Your role in this account is .* ask an owner/,
        );
      }
    }
  });

  test("may ask for the texts of what the role allows", async () => {
    for (const [action, { allowed, details }] of Object.entries(actions)) {
      const { status } = await browser.post("/v1/account/step-up", { action, details });
      expect([action, status]).toEqual([action, allowed.includes(role) ? 200 : 403]);
    }
  });
});

test("a changed role counts for the open session, and a removed member has none", async () => {
  const wallet = walletAt(devnet.buyers, 3);
  const browser = await openMember(wallet, "developer");
  const revoke = () => browser.send("DELETE", "/v1/account/keys/AAAAAAAAAAAA");
  expect((await revoke()).status).toBe(404);
  expect((await changeRole(wallet, "read_only")).status).toBe(200);
  expect((await revoke()).body).toMatchObject({ error: "role_not_allowed" });
  const approval = await stepUp(ownerBrowser, owner, "unlink_wallet", { address: wallet.address });
  const path = `/v1/account/wallets/${wallet.address}`;
  expect((await ownerBrowser.send("DELETE", path, { stepUp: approval })).status).toBe(204);
  expect((await browser.get("/v1/account")).status).toBe(401);
});

test("the account's own address stays an owner", async () => {
  const { status, body } = await changeRole(owner, "read_only");
  expect([status, body]).toMatchObject([409, { error: "conflict" }]);
  const approval = await stepUp(ownerBrowser, owner, "unlink_wallet", { address: owner.address });
  const path = `/v1/account/wallets/${owner.address}`;
  expect((await ownerBrowser.send("DELETE", path, { stepUp: approval })).status).toBe(404);
});

test("a member ends the sessions of their own wallet only", async () => {
  const wallet = walletAt(devnet.buyers, 4);
  const browser = await openMember(wallet, "read_only");
  const second = await openSignedIn(served, { wallet, account: owner.address });
  const { sessions } = (await browser.get("/v1/account/sessions")).body;
  const list = Array.isArray(sessions) ? sessions.filter(isObject) : [];
  const foreign = list.find((one) => one["wallet"] === owner.address);
  const foreignPath = `/v1/account/sessions/${textAt(foreign ?? {}, "id")}`;
  expect((await browser.send("DELETE", foreignPath)).status).toBe(404);
  const approval = await stepUp(browser, wallet, "revoke_sessions", {});
  expect((await browser.send("DELETE", "/v1/account/sessions", { stepUp: approval })).status).toBe(
    204,
  );
  expect((await second.get("/v1/account")).status).toBe(401);
  expect((await ownerBrowser.get("/v1/account")).status).toBe(200);
});

test("invitations are for the wallet that was named, shown to it, and may be declined or left", async () => {
  const [wallet, other] = [walletAt(devnet.buyers, 5), walletAt(devnet.buyers, 6)];
  expect((await invite(wallet, "developer")).status).toBe(201);
  const invitations = (await ownerBrowser.get("/v1/account/invitations")).body["invitations"];
  expect(invitations).toMatchObject([{ address: wallet.address, role: "developer" }]);
  const own = await openSignedIn(served, { wallet });
  expect((await own.get("/v1/account/memberships")).body).toMatchObject({
    accounts: [{ account: wallet.address, role: "owner" }],
    invitations: [{ account: owner.address, role: "developer", invitedBy: owner.address }],
  });
  const stranger = await openSignedIn(served, { wallet: other });
  const account = owner.address;
  expect((await stranger.post("/v1/account/memberships", { account })).status).toBe(404);
  const membership = `/v1/account/memberships/${account}`;
  expect((await own.send("DELETE", membership)).status).toBe(204);
  expect((await own.post("/v1/account/memberships", { account })).status).toBe(404);

  await invite(wallet, "read_only");
  expect((await own.post("/v1/account/memberships", { account })).status).toBe(201);
  const inside = await openSignedIn(served, { wallet, account });
  expect((await inside.send("DELETE", membership)).status).toBe(204);
  expect((await inside.get("/v1/account")).status).toBe(401);
  expect((await own.send("DELETE", membership)).status).toBe(404);

  await invite(wallet, "owner");
  const path = `/v1/account/invitations/${wallet.address}`;
  expect((await ownerBrowser.send("DELETE", path)).status).toBe(204);
  expect((await own.post("/v1/account/memberships", { account })).status).toBe(404);
  // Invited as the contract of a chain, a plain wallet does not join.
  await invite(wallet, "owner", 51);
  expect((await own.post("/v1/account/memberships", { account })).status).toBe(404);
});
