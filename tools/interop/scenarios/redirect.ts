/** A route that settles after success and redirects to a signed address (S11). */
import { startDeployment } from "../deployment.ts";
import { openShop } from "../own-sellers.ts";
import { send, signStockPayment, type Scenario } from "./scenario.ts";

const requests = 5;

/** The scenario. */
export const redirect: Scenario = {
  about: "S11: a redirect is sold like content, not given away",
  async run() {
    const deployment = await startDeployment({ buyers: 1 });
    const shop = await openShop(deployment, "hosted", {
      settle: "after-success",
      respond: (_req, res) => res.redirect(302, "https://storage.example/file?signature=1"),
    });
    const buyer = deployment.newBuyer();
    let locations = 0;
    try {
      for (let sent = 0; sent < requests; sent++) {
        const { location } = await send(shop.url, await signStockPayment(shop.url, buyer));
        if (location !== null) locations++;
      }
      const transfers = (await deployment.transfers(buyer.address)).length;
      return { requests, "locations received": locations, transfers };
    } finally {
      await shop.close();
      await deployment.stop();
    }
  },
};
