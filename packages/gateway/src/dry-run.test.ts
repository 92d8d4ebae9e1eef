/** A gateway that runs dry: it asks for payments and checks them, and no money moves. */
import { decodeHeader, headerNames } from "@farthing/protocol";
import type { Facilitator } from "@farthing/seller";
import { payFor } from "@farthing/seller/testing/buyer";
import { listen } from "@farthing/seller/testing/listen";
import { expect, onTestFinished, test } from "vitest";
import { rule } from "./configuration/gateway-file.testing.ts";
import { startBefore, takesEveryPayment } from "./gateway.testing.ts";

test("it sells by single payments only, checks them, and settles and serves nothing", async () => {
  const upstream = await listen((_request, response) => response.end("content"));
  onTestFinished(() => upstream.close());
  const asked: string[] = [];
  const facilitator: Facilitator = {
    ...takesEveryPayment,
    verify: async (...call) => {
      asked.push("verify");
      return takesEveryPayment.verify(...call);
    },
    settle: async (...call) => {
      asked.push("settle");
      return takesEveryPayment.settle(...call);
    },
  };
  const changes = {
    publicUrl: "http://shop.example",
    store: "memory",
    channels: { authorizerKey: `0x${"33".repeat(32)}` },
    routes: [rule("GET /paid 1", { channel: true })],
  };
  const gateway = await startBefore(upstream.url, changes, { facilitator, isDryRun: true });
  onTestFinished(() => gateway.stop());
  const url = `${gateway.url}/paid`;
  const challenge = (await fetch(url)).headers.get(headerNames.paymentRequired);
  expect(decodeHeader(challenge ?? "")?.value).toMatchObject({ accepts: [{ scheme: "exact" }] });
  const paid = await fetch(url, { headers: await payFor(url) });
  expect([paid.status, await paid.json()]).toMatchObject([402, { error: "dry_run" }]);
  expect(asked).toEqual(["verify"]);
});
