/** Payment records in a Durable Object, in the runtime of Cloudflare Workers: the promises of every store. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { closingSuite } from "../../exchange/closing.suite.ts";
import { createDurableObjectGrants } from "./durable-object.ts";
import { balancesSuite } from "../balances/balances.suite.ts";
import { channelsSuite } from "../channels/channels.suite.ts";
import { passesSuite } from "../passes/passes.suite.ts";
import { binding, buyer, leaseOf, receipt, response } from "../rules/payment-records.testing.ts";
import { refundsSuite } from "../rules/refunds.suite.ts";
import { paymentRecordsSuite, type StoreKind } from "../rules/payment-records.suite.ts";
import { startWorkerd } from "./workerd.testing.ts";

let workerd: Awaited<ReturnType<typeof startWorkerd>>;
beforeAll(async () => {
  workerd = await startWorkerd();
});
afterAll(() => workerd?.stop());
let opened = 0;

const durableObject: StoreKind = {
  isShared: true,
  isBounded: true,
  async open() {
    const name = `test-${++opened}`;
    const { namespace } = workerd;
    return {
      create: (options) => createDurableObjectGrants({ namespace, name, ...options }),
      close: async () => undefined,
    };
  },
};

paymentRecordsSuite("durable object", durableObject);
closingSuite("durable object", durableObject);
passesSuite("durable object", durableObject);
balancesSuite("durable object", durableObject);
channelsSuite("durable object", durableObject);
refundsSuite("durable object", durableObject);

test("a runtime that is killed forgets nothing that it has confirmed", async () => {
  const grants = createDurableObjectGrants({ namespace: workerd.namespace });
  const paid = binding("a", { validBeforeMs: 253_402_300_799_000 });
  const lease = await leaseOf(grants, paid);
  await lease.settling({ response: response(300) });
  await lease.complete(receipt);
  const { passes } = grants;
  const payment = { payer: "0x1", amount: "1", network: "eip155:50", transaction: "0x1" };
  const sale = { scope: "all", uses: 9, validForMs: 3_600_000, isFinalOnly: false };
  const sold = await passes?.open("a", sale, payment);
  if (!passes || !sold) throw new Error("There is no pass.");
  await passes.take(sold.pass);
  await workerd.restart();
  const kept = { kind: "delivered", receipt, response: response(300) };
  expect(await grants.acquire(paid, buyer)).toEqual(kept);
  expect((await passes.find(sold.token))?.usesLeft).toBe(7);
});
