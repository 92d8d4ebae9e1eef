/** A shop for an agent: one report at a price, and what else a web server may answer. */
import type { SellerOptions } from "@farthing/seller";
import { farthing } from "@farthing/seller/hono";
import { Hono } from "hono";
import { listenFetch } from "@farthing/seller/testing/listen";
import { termsOn, type Market } from "../support/market.testing.ts";

/** A shop that is open. */
export interface AgentShop {
  /** Of the paid report. */
  readonly url: string;
  /** Of another path. */
  at(path: string): string;
  /** How many reports were made. */
  readonly made: () => number;
  close(): Promise<void>;
}

/** Opens a shop; `report` is the paid content. */
export async function openAgentShop(
  market: Market,
  options: Partial<SellerOptions> = {},
  report: (made: number) => string | Promise<string> = (made) => `report ${made}`,
): Promise<AgentShop> {
  let reports = 0;
  const charge = farthing({ ...termsOn(market, "public"), ...options });
  const app = new Hono();
  app.all("/report", charge(), async (c) => c.body(await report(++reports)));
  app.get("/free", (c) => c.text("free"));
  app.get("/moved", (c) => c.redirect("http://169.254.169.254/latest"));
  const { url, close } = await listenFetch(app.fetch);
  return { url: `${url}/report`, at: (path) => url + path, made: () => reports, close };
}
