/** Stands between a facilitator and the chain: counts what is asked, and adds a network's latency. */
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { Pool } from "undici";

/** A running tap. */
export interface RpcTap {
  readonly url: string;
  /** JSON-RPC calls so far; each member of a batch is one. */
  readonly calls: number;
  stop(): Promise<void>;
}

/** Connections to the chain: more than any facilitator here keeps busy. */
const connectionsMax = 256;

/** Starts a tap; every answer comes `delayMs` later than the chain gave it. */
export async function startRpcTap(rpcUrl: string, delayMs: number): Promise<RpcTap> {
  const pool = new Pool(rpcUrl, { connections: connectionsMax });
  let calls = 0;
  const server = createServer((req, res) => {
    const pass = async (): Promise<void> => {
      const body = await text(req);
      const asked: unknown = JSON.parse(body);
      calls += Array.isArray(asked) ? asked.length : 1;
      const answer = await pool.request({
        path: "/",
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
      });
      const answered = await answer.body.text();
      if (delayMs > 0) await pause(delayMs);
      res.writeHead(answer.statusCode, { "content-type": "application/json" }).end(answered);
    };
    pass().catch(() => res.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The tap has no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    get calls() {
      return calls;
    },
    async stop() {
      server.close();
      server.closeAllConnections();
      await pool.destroy();
    },
  };
}
