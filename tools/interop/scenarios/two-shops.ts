/**
 * Two shops of one seller with payment records of their own (S4). The first shop's settle is refused
 * with the facilitator's 429, which a buyer can provoke; the second shop settles; the buyer returns.
 */
import { buffer } from "node:stream/consumers";
import { listen } from "@farthing/seller/testing/listen";
import { startDeployment } from "../deployment.ts";
import { openShop } from "../own-sellers.ts";
import { hasReport, send, signStockPayment, times, type Scenario } from "./scenario.ts";

/** As many as in the trial. */
const payments = 20;

/** A facilitator in front of another one, which refuses the first settle of each payment. */
function startLimited(upstream: string) {
  const seen = new Set<string>();
  return listen((req, res) => {
    void (async () => {
      const body = (await buffer(req)).toString();
      const nonce = /"nonce":"(0x[0-9a-f]+)"/i.exec(body)?.[1] ?? "";
      if (req.url?.endsWith("/settle") === true && !seen.has(nonce)) {
        seen.add(nonce);
        const refusal = { error: "rate_limited", message: "Too many.", requestId: nonce };
        res.writeHead(429, { "Content-Type": "application/json" }).end(JSON.stringify(refusal));
        return;
      }
      const { method = "GET", url = "/" } = req;
      const headers = { "Content-Type": "application/json" };
      const key = req.headers["idempotency-key"];
      const named = typeof key === "string" ? { ...headers, "Idempotency-Key": key } : headers;
      const sent = method === "GET" ? {} : { body };
      const response = await fetch(`${upstream}${url}`, { method, headers: named, ...sent });
      res.writeHead(response.status, headers).end(await response.text());
    })().catch(() => res.destroy());
  });
}

/** The scenario. */
export const twoShops: Scenario = {
  about: "S4: one payment at two shops of one seller opens one content",
  async run() {
    const deployment = await startDeployment({ buyers: 1 });
    const limited = await startLimited(deployment.surfaces.hosted.url);
    const publicUrl = "https://shop.example";
    const first = await openShop(deployment, "hosted", {
      facilitator: { url: limited.url },
      publicUrl,
    });
    const second = await openShop(deployment, "hosted", { publicUrl });
    const buyer = deployment.newBuyer();
    try {
      const served = await times(payments, 5, async () => {
        const header = await signStockPayment(first.url, buyer);
        const responses = [
          await send(first.url, header),
          await send(second.url, header),
          await send(first.url, header),
        ];
        return responses.filter(hasReport).length;
      });
      const contents = served.reduce((sum, count) => sum + count, 0);
      const transfers = (await deployment.transfers(buyer.address)).length;
      return { payments, contents, transfers };
    } finally {
      await first.close();
      await second.close();
      await limited.close();
      await deployment.stop();
    }
  },
};
