/** The credits of a claim that a seller asks for by /settle. */
import { parseWireAddress } from "@farthing/protocol";
import { systemClock } from "@farthing/engine/base";
import { expect, onTestFinished, test } from "vitest";
import {
  channelOf,
  deposited,
  depositBody,
  signVoucher,
} from "../../../test/support/channels.testing.ts";
import {
  newDatabaseUrl,
  serveOn,
  startChain,
  walletAt,
} from "../../../test/support/facilitator.testing.ts";
import { createApiKey } from "../api-keys/key-text.ts";
import { openStore, type ServiceStore } from "../open-store.ts";

test("a claim that was sent keeps its credits, also where the database fails afterwards", async () => {
  const devnet = await startChain();
  onTestFinished(() => devnet.stop());
  const databaseUrl = newDatabaseUrl();
  const opened = await openStore(databaseUrl);
  const account = devnet.seller.address;
  const { text } = await createApiKey(opened, systemClock, { account, mode: "test", label: "t" });
  const grant = { account, kind: "grant", credits: 5, actor: "test", note: null } as const;
  await opened.grantCredits(grant, systemClock.nowMs());
  let isFailing = false;
  const store: ServiceStore = {
    ...opened,
    spendReservations(...parameters) {
      if (isFailing) return Promise.reject(new Error("The database is gone"));
      return opened.spendReservations(...parameters);
    },
  };
  const env = {
    FARTHING_CHANNEL_SECRET: "a secret of tests that has more than 32 characters",
    FARTHING_CREDITS_PER_SETTLEMENT: "1",
  };
  const served = await serveOn(devnet, { selfBuilt: false, databaseUrl, store, env });
  onTestFinished(() => served.stop());
  const withKey = { authorization: `Bearer ${text}` };
  const { body: supported } = await served.get("/supported", withKey);
  const authorizer = parseWireAddress(
    /"receiverAuthorizer":"(0x\w{40})"/.exec(JSON.stringify(supported))?.[1] ?? "",
  );
  if (!authorizer) throw new Error("the account has no authorizer");
  const channel = channelOf(devnet, walletAt(devnet.buyers, 1), authorizer);
  const body = depositBody(channel);
  expect((await served.post("/settle", body, withKey)).body).toMatchObject({ success: true });
  const credits = async () => (await opened.findCredits(account)).available;
  const before = await credits();

  isFailing = true;
  const voucher = { channel: channel.config, maxClaimableAmount: `${deposited}` };
  const signature = signVoucher(channel, deposited);
  const payload = { type: "claim", claims: [{ voucher, signature, totalClaimed: "20000" }] };
  const paymentPayload = { ...body.paymentPayload, payload };
  const { status } = await served.post("/settle", { ...body, paymentPayload }, withKey);
  expect(status).toBeGreaterThanOrEqual(500);
  expect(await credits()).toBe(before - 1);
});
