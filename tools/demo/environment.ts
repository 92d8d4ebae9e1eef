/** The services of the demo, started in order: chain, facilitator with an API key, paid API. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDevnet, type Devnet } from "@farthing/devnet";
import { createLog, readConfig, startFacilitator } from "@farthing/facilitator";
import { keyIn } from "@farthing/facilitator/testing/api-keys";
import { networkOfChain, type Network } from "@farthing/protocol";
import { createFacilitatorClient } from "@farthing/seller";
import { startPaidApi, type PaidApi } from "./paid-api.ts";
import { within } from "./time-limit.ts";
import { watchFacilitator, type StepListener } from "./watch-payment.ts";

/** The running services. */
export interface DemoEnvironment {
  readonly devnet: Devnet;
  readonly network: Network;
  readonly facilitatorUrl: string;
  /** The seller's. */
  readonly apiKey: string;
  readonly paidApi: PaidApi;
}

/** XDC's block period, so that payments take as long as on the real chain. */
const blockTimeSeconds = 2;

/** Each service starts in less than a second; a machine under load gets more. */
const startMs = 20_000;
const stopMs = 10_000;

/** Starts the services. Each is put on `stack`, also when a later one fails to start. */
export async function startDemoEnvironment(
  stack: AsyncDisposableStack,
  report: StepListener,
  stopped: AbortSignal,
): Promise<DemoEnvironment> {
  const folder = mkdtempSync(join(tmpdir(), "farthing-demo-"));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));

  const starting = startDevnet({ blockTimeSeconds, buyers: 1, relayers: 1, isGuarded: true });
  const devnet = await within(startMs, "The local chain did not start", starting);
  stack.defer(() => within(stopMs, "The local chain did not stop", devnet.stop()));
  stopped.throwIfAborted();
  const network = networkOfChain(devnet.chainId);

  const databaseUrl = `sqlite:${join(folder, "farthing.db")}`;
  const facilitator = await within(
    startMs,
    "The facilitator did not start",
    startFacilitator({
      config: readConfig({
        env: {
          [`FARTHING_RPC_${devnet.chainId}`]: devnet.rpcUrl,
          FARTHING_RELAYER_KEYS: devnet.relayers.map(({ privateKey }) => privateKey).join(","),
          FARTHING_PORT: "0",
          DATABASE_URL: databaseUrl,
        },
      }),
      // Standard output is the demo's.
      log: createLog("error", process.stderr),
    }),
  );
  stack.defer(() => within(stopMs, "The facilitator did not stop", facilitator.stop()));

  const { url } = facilitator;
  const apiKey = await keyIn(databaseUrl, devnet.seller.address);
  const client = (options: { url: string; apiKey?: string }) =>
    watchFacilitator(createFacilitatorClient(options), report);
  const paidApi = await startPaidApi({
    payTo: devnet.seller.address,
    network: network.id,
    publicFace: client({ url, apiKey }),
    channelFace: createFacilitatorClient({ url, apiKey }),
    hostedFace: client({ url: `${url}/api/facilitator` }),
  });
  stack.defer(() => within(stopMs, "The paid API did not stop", paidApi.stop()));
  return { devnet, network, facilitatorUrl: url, apiKey, paidApi };
}
