/** What is written of channels is read back; what a stranger writes is refused or unreadable. */
import { expect, test } from "vitest";
import { apothem } from "../networks/networks.ts";
import { channelConfig, channelEntry, depositRequest } from "./channel-examples.testing.ts";
import { channelIdOf, type ChannelState } from "./channel.ts";
import { parseChannelRequirements } from "./channel-messages.ts";
import {
  isChannelPayment,
  parseChannelPayment,
  parseWireChannelState,
  toChannelEntry,
  toWireBuyerPayload,
  toWireChannelState,
} from "./channel-wire.ts";

const channelId = channelIdOf(apothem, channelConfig);

const state: ChannelState = {
  balance: 10_000n,
  totalClaimed: 2_000n,
  withdrawing: 3_000n,
  withdrawRequestedAt: 1_700_000_000,
  refundNonce: 4n,
};

test("a state is read back, its withdrawal with it", () => {
  expect(parseWireChannelState(channelId, toWireChannelState(channelId, state))).toEqual(state);
  const calm = { ...state, withdrawing: 0n, withdrawRequestedAt: 0 };
  expect(toWireChannelState(channelId, calm)).not.toHaveProperty("withdrawAmount");
  expect(parseWireChannelState(channelId, toWireChannelState(channelId, calm))).toEqual(calm);
});

test("a withdrawal of an amount that is not told is one of all that is unclaimed", () => {
  const { withdrawAmount: _told, ...stock } = toWireChannelState(channelId, state);
  expect(parseWireChannelState(channelId, stock)?.withdrawing).toBe(8_000n);
  const none = { ...toWireChannelState(channelId, state), withdrawRequestedAt: 0 };
  expect(parseWireChannelState(channelId, none)?.withdrawing).toBe(0n);
});

test.each([
  ["another channel", { channelId: `0x${"01".repeat(32)}` }],
  ["no balance", { balance: undefined }],
  ["a number", { totalClaimed: 2_000 }],
  ["a time in words", { withdrawRequestedAt: "1" }],
])("a state with %s is none", (_name, change) => {
  const told = { ...toWireChannelState(channelId, state), ...change };
  expect(parseWireChannelState(channelId, told)).toBeUndefined();
});

test("a stock buyer's deposit is read, and written anew without what does not belong to it", async () => {
  const { paymentPayload } = await depositRequest();
  const parsed = parseChannelPayment({ ...paymentPayload, more: 1 });
  if (!parsed.ok) throw new Error(parsed.refusal.message);
  expect(parsed.value.network).toBe(apothem);
  const written = toWireBuyerPayload(parsed.value.payload);
  expect(parseChannelPayment({ ...paymentPayload, payload: written })).toEqual(parsed);
});

test("an entry is read back as the requirements of a facilitator", () => {
  const { receiverAuthorizer, withdrawDelay } = channelConfig;
  const terms = { receiverAuthorizer, withdrawDelay, minDeposit: 10_000n, amount: 1_000n };
  const payTo = channelConfig.receiver;
  const entry = toChannelEntry({ network: apothem, payTo, maxTimeoutSeconds: 60, ...terms });
  expect(parseChannelRequirements(entry)).toEqual({
    ok: true,
    value: parsedEntry(),
  });
});

function parsedEntry() {
  const read = parseChannelRequirements(channelEntry);
  if (!read.ok) throw new Error(read.refusal.message);
  return read.value;
}

test("only messages of the scheme are a channel's, and only those of a buyer are read", async () => {
  const { paymentPayload } = await depositRequest();
  expect(isChannelPayment(paymentPayload)).toBe(true);
  expect(isChannelPayment({ accepted: { scheme: "exact" } })).toBe(false);
  expect(isChannelPayment(null)).toBe(false);
  const sweep = { type: "settle", receiver: channelConfig.receiver, token: apothem.usdc };
  for (const wrong of [
    { ...paymentPayload, x402Version: 1 },
    { ...paymentPayload, payload: sweep },
    { ...paymentPayload, payload: null },
    { ...paymentPayload, accepted: { ...channelEntry, network: "eip155:1" } },
  ]) {
    expect(parseChannelPayment(wrong).ok).toBe(false);
  }
});
