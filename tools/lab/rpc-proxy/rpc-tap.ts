/** A proxy that changes nothing: it counts the calls, and adds a network's latency. */
import { setTimeout as pause } from "node:timers/promises";
import { Pool } from "undici";
import { startRpcListener, type RpcListener, readRequest } from "@farthing/devnet/rpc-proxy";

/** A running tap. */
export interface RpcTap extends RpcListener {
  /** JSON-RPC calls so far; each member of a batch is one. */
  readonly calls: number;
}

/** Connections to the chain: more than any facilitator keeps busy. */
const maxConnections = 256;

/** Starts a tap. Bodies pass as they are, and every response comes `delayMs` later. */
export async function startRpcTap(rpcUrl: string, delayMs: number): Promise<RpcTap> {
  const pool = new Pool(rpcUrl, { connections: maxConnections });
  const headers = { "content-type": "application/json" };
  let calls = 0;
  const listener = await startRpcListener(async (body) => {
    calls += readRequest(body).calls.length;
    const answer = await pool.request({ path: "/", method: "POST", headers, body });
    const answered = await answer.body.text();
    if (delayMs > 0) await pause(delayMs);
    return { status: answer.statusCode, headers, body: answered };
  });
  return {
    url: listener.url,
    get calls() {
      return calls;
    },
    async stop() {
      await listener.stop();
      await pool.destroy();
    },
  };
}
