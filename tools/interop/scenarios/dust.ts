/** Payments of one base unit between two wallets of one person (S7), without a key. */
import { startDeployment } from "../deployment.ts";
import { draft, requestV2, set, sign, type Stage } from "../differential/requests.ts";
import { inXdc, relayerWei } from "./gas.ts";
import { times, type Scenario } from "./scenario.ts";

const payments = 200;

/** The scenario. */
export const dust: Scenario = {
  about: "S7: dust costs the operator nothing on surfaces without keys",
  async run() {
    const deployment = await startDeployment({ buyers: 2 });
    const [buyer, other] = [deployment.newBuyer(), deployment.newBuyer()];
    const stage: Stage = {
      devnet: deployment.devnet,
      buyer,
      other,
      poor: other,
      settle: () => Promise.resolve(),
    };
    try {
      const before = await relayerWei(deployment);
      const statuses = await times(payments, 20, async () => {
        const made = draft(stage);
        const to = other.address;
        const dusty = { ...made, authorization: { ...made.authorization, to, value: "1" } };
        const request = requestV2(stage, dusty, await sign(dusty));
        for (const place of ["terms", "accepted"]) {
          set(request, `${place}.amount`, "1");
          set(request, `${place}.payTo`, to);
        }
        const response = await fetch(`${deployment.surfaces.hosted.url}/settle`, {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify(request),
        });
        return (await response.text()).includes('"success":true');
      });
      const spent = before - (await relayerWei(deployment));
      return {
        payments,
        settled: statuses.filter(Boolean).length,
        transfers: (await deployment.transfers(buyer.address, other.address)).length,
        "gas paid by the operator, XDC": inXdc(spent),
      };
    } finally {
      await deployment.stop();
    }
  },
};
