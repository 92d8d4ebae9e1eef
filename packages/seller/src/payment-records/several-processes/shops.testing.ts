/** Sellers in processes of their own. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { programFile } from "@farthing/lab/programs";
import type { ShopOrder } from "./shop-process.testing.ts";

/** Today's seller, and that of commit 7c505e4, which was the newest one before this format. */
export const today = programFile(new URL("shop-process.testing.ts", import.meta.url));
export const before = join(import.meta.dirname, "generated/seller-7c505e4.testing.mjs");

/** Starts a seller's process; `made` counts the reports it made. */
export async function startShop(order: ShopOrder, script = today) {
  const command = ["--conditions=@farthing/source", script, JSON.stringify(order)];
  const shop = spawn(process.execPath, command, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise<void>((resolve) => shop.once("close", () => resolve()));
  const lines = createInterface(shop.stdout);
  let made = 0;
  const url = await new Promise<string>((resolve, reject) => {
    lines.once("line", resolve);
    shop.once("close", () => reject(new Error("The seller's process ended.")));
  });
  lines.on("line", () => made++);
  return {
    url: `${url}/report`,
    made: () => made,
    freeze: () => shop.kill("SIGSTOP"),
    thaw: () => shop.kill("SIGCONT"),
    async kill() {
      shop.kill("SIGKILL");
      await ended;
    },
  };
}
