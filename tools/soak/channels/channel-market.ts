/** A chain and a facilitator with a vault, for shops that sell by channels in processes of their own. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDevnet, type Devnet } from "@farthing/devnet";
import { readConfig, silentLog, startFacilitator } from "@farthing/facilitator";
import { keyIn } from "@farthing/facilitator/testing/api-keys";
import { programFile } from "@farthing/lab/programs";
import { startServerProcess, type ServerProcess } from "@farthing/lab/server-process";
import { isObject, networkOfChain, type JsonObject, type Network } from "@farthing/protocol";
import { createSqliteGrants } from "@farthing/seller/sqlite";
import { brokenRecordSteps, checkRecordSteps } from "../../model/traces/check-record-steps.ts";
import { noteRecordSteps, readRecordSteps } from "../../model/traces/stored-steps.ts";
import { shopAddressLine, shopEnvironment, type ShopSettings } from "./shop-variables.ts";

export interface ChannelMarket {
  readonly devnet: Devnet;
  readonly network: Network;
  /** Starts a shop with records of its own. */
  openShop(goods: Goods): ServerProcess;
  /** What is wrong with the steps of the shops' records, in words. */
  brokenRecordSteps(): readonly string[];
  /** What the vault keeps of the shops' channels; one page. */
  readVault(): Promise<readonly JsonObject[]>;
  /** Has all that the vault keeps claimed within seconds. */
  claim(): Promise<void>;
}

/** What a shop sells; USDC. */
export type Goods = Pick<ShopSettings, "price" | "minDeposit" | "maxUnvaulted">;

const program = programFile(new URL("shop-process.ts", import.meta.url));

/** XDC makes a block in two seconds; half of that is more blocks for the same time. */
const blockTimeSeconds = 1;

/** A shop that is told to stop answers what it has begun. */
const stopMs = 5_000;

/** Signs the claims of the seller's channels. */
const channelSecret = "the secret of a soak, with more than 32 characters";

/** Starts a market, which ends with the stack. */
export async function openChannelMarket(
  buyers: number,
  stack: AsyncDisposableStack,
): Promise<ChannelMarket> {
  const folder = mkdtempSync(join(tmpdir(), "farthing-channels-"));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const devnet = await startDevnet({ blockTimeSeconds, buyers, relayers: 1 });
  stack.defer(() => devnet.stop());
  const network = networkOfChain(devnet.chainId);
  const databaseUrl = `sqlite:${join(folder, "farthing.db")}`;
  const apiKey = await keyIn(databaseUrl, devnet.seller.address);
  const env = {
    [`FARTHING_RPC_${devnet.chainId}`]: devnet.rpcUrl,
    FARTHING_RELAYER_KEYS: devnet.relayers.map(({ privateKey }) => privateKey).join(","),
    FARTHING_PORT: "0",
    FARTHING_LOG_LEVEL: "silent",
    FARTHING_CHANNEL_SECRET: channelSecret,
    DATABASE_URL: databaseUrl,
  };
  const { url, stop } = await startFacilitator({ config: readConfig({ env }), log: silentLog });
  stack.defer(stop);
  const headers = { Authorization: `Bearer ${apiKey}` };
  const recordPaths: string[] = [];
  return {
    devnet,
    network,
    openShop(goods) {
      const databasePath = join(folder, `shop-${recordPaths.length}.db`);
      recordPaths.push(databasePath);
      // The tables are there before the shop is, so that its first step is noted.
      createSqliteGrants({ path: databasePath }).close();
      noteRecordSteps(databasePath);
      const settings: ShopSettings = {
        ...goods,
        facilitatorUrl: url,
        apiKey,
        payTo: devnet.seller.address,
        network: network.id,
        databasePath,
      };
      const shop = startServerProcess({
        argv: ["--conditions=@farthing/source", program],
        env: shopEnvironment(settings),
        addressLine: shopAddressLine,
        stopMs,
      });
      stack.defer(async () => void (await shop.kill()));
      return shop;
    },
    brokenRecordSteps() {
      const findings = recordPaths.map((path) => checkRecordSteps(readRecordSteps(path)));
      return findings.flatMap((one) => brokenRecordSteps([one], true));
    },
    async readVault() {
      const response = await fetch(`${url}/v1/channels/vouchers`, { headers });
      const body: unknown = await response.json();
      const rows: unknown = isObject(body) ? body["vouchers"] : undefined;
      return Array.isArray(rows) ? rows.filter(isObject) : [];
    },
    async claim() {
      const response = await fetch(`${url}/v1/channels/claim`, { method: "POST", headers });
      if (response.status !== 202) throw new Error(`The claim was answered ${response.status}`);
    },
  };
}
