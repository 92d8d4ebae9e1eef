/** JSON-RPC calls of a subject in this process, which end with its life. */
import type { Rpc } from "@farthing/devnet";

/** Returns the calls; they throw after the end, as a killed process would not go on. */
export function sendCalls(url: string, life: { readonly isOver: boolean }): Rpc {
  return async <T>(method: string, params: unknown[] = []) => {
    if (life.isOver) throw new Error("killed");
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    const reply: { readonly result: T; readonly error?: object } = await response.json();
    if (life.isOver) throw new Error("killed");
    if (reply.error) throw new Error(`${method}: ${JSON.stringify(reply.error)}`);
    return reply.result;
  };
}
