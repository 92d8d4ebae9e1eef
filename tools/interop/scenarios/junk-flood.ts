/** Payments with random signatures, seventy a second (S10), while honest buyers buy. */
import { randomBytes } from "node:crypto";
import { startDeployment } from "../deployment.ts";
import { openShop } from "../own-sellers.ts";
import { readChallenge } from "../stock-sellers.ts";
import { stockClient } from "../matrix.ts";
import { hasReport, headerOf, send, signStockPayment, type Scenario } from "./scenario.ts";
import { isJson } from "../differential/requests.ts";

/** As in the trial: 70 a second, long enough to use up the usual quota of 500 in ten seconds. */
const junkPerSecond = 70;
const floodSeconds = 12;

/** Honest purchases, one after another, in the second half of the flood. */
const honestPurchases = 10;

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The scenario. */
export const junkFlood: Scenario = {
  about: "S10: honest buyers are served while junk arrives",
  async run() {
    // The usual limits of the service.
    const deployment = await startDeployment({ buyers: 2, env: { FARTHING_RATE_LIMIT: "500" } });
    const shop = await openShop(deployment, "hosted");
    const [junkBuyer, buyer] = [deployment.newBuyer(), deployment.newBuyer()];
    const client = await stockClient("2.27", junkBuyer);
    const payment = await client.createPaymentPayload(await readChallenge(shop.url));
    const junk = () => {
      const copy = structuredClone(payment);
      const payload = "payload" in copy && isJson(copy.payload) ? copy.payload : {};
      payload["signature"] = `0x${randomBytes(65).toString("hex")}`;
      if (isJson(payload["authorization"])) {
        payload["authorization"]["nonce"] = `0x${randomBytes(32).toString("hex")}`;
      }
      return headerOf(copy);
    };
    const flood: Promise<number>[] = [];
    const honest: number[] = [];
    try {
      const end = performance.now() + floodSeconds * 1_000;
      const flooding = (async () => {
        while (performance.now() < end) {
          flood.push(send(shop.url, junk()).then(({ status }) => status));
          await sleep(1_000 / junkPerSecond);
        }
      })();
      await sleep((floodSeconds * 1_000) / 2);
      for (let bought = 0; bought < honestPurchases; bought++) {
        const response = await send(shop.url, await signStockPayment(shop.url, buyer));
        honest.push(hasReport(response) ? 200 : response.status);
      }
      await flooding;
      const answers = await Promise.all(flood);
      return {
        "junk payments": answers.length,
        "honest purchases": honest.length,
        "honest served": honest.filter((status) => status === 200).length,
        "honest refused with 503": honest.filter((status) => status === 503).length,
      };
    } finally {
      await shop.close();
      await deployment.stop();
    }
  },
};
