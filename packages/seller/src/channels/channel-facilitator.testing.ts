/** The facilitator of a chain of channels over HTTP, with a vault, for sellers in processes of their own. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import {
  apothem,
  channelIdOf,
  isObject,
  member,
  parseChannelConfig,
  parseJson,
  type JsonObject,
} from "@farthing/protocol";
import { addressOf } from "../adapters/listen.testing.ts";
import type { ChannelWireRequest } from "../facilitator-request.ts";
import { createChannelChain } from "./channel-shop.testing.ts";

export async function startChannelFacilitator() {
  const chain = createChannelChain();
  const { facilitator } = chain;
  /** The charged totals that the vault was given, in order. */
  const vaulted: unknown[] = [];
  const vault = { isAway: false, totals: vaulted };

  function keep(body: JsonObject) {
    const vouchers = member(body, "vouchers");
    const rows = Array.isArray(vouchers) ? vouchers.filter(isObject) : [];
    const kept = rows.map((row) => {
      const config = parseChannelConfig(row["channelConfig"]);
      if (!config.ok) throw new Error(config.refusal.message);
      vaulted.push(row["charged"]);
      return { ...row, channelId: channelIdOf(apothem, config.value) };
    });
    return { kept, refused: [] };
  }

  async function respond(url: string | undefined, text: string): Promise<unknown> {
    const body = parseJson(text)?.value;
    if (!isObject(body)) return undefined;
    if (url === "/v1/channels/vouchers") return vault.isAway ? undefined : keep(body);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as the seller of the test sent it
    const request = body as unknown as ChannelWireRequest;
    const limit = { timeoutMs: 1_000 };
    if (url === "/verify") {
      const outcome = await facilitator.verify(request, limit);
      return outcome.kind === "verdict" ? outcome.verdict : undefined;
    }
    const outcome = await facilitator.settle(request, limit);
    return outcome.kind === "settlement" ? outcome.settlement : undefined;
  }

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    let text = "";
    for await (const chunk of req) text += String(chunk);
    const json = await respond(req.url, text);
    res.writeHead(json === undefined ? 503 : 200, { "content-type": "application/json" });
    res.end(JSON.stringify(json ?? {}));
  }

  const server = createServer((req, res) => void serve(req, res));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: addressOf(server),
    chain,
    vault,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
