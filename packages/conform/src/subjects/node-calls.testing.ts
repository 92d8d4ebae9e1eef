/** JSON-RPC calls of a subject in this process, which end with its life. */
import type { Rpc } from "@farthing/devnet";

/** Why a call has no result: `cut` leaves open whether the node took it. */
export class NodeFault extends Error {
  readonly how: "cut" | "unavailable" | "error" | "killed";

  constructor(how: NodeFault["how"], message: string) {
    super(message);
    this.how = how;
  }
}

/** Returns the calls; they throw after the end, as a killed process would not go on. */
export function sendCalls(url: string, life: { readonly isOver: boolean }): Rpc {
  return async <T>(method: string, params: unknown[] = []) => {
    const killed = new NodeFault("killed", "killed");
    if (life.isOver) throw killed;
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    }).catch(() => {
      throw life.isOver ? killed : new NodeFault("cut", `${method}: no answer`);
    });
    if (life.isOver) throw killed;
    if (!response.ok) throw new NodeFault("unavailable", `${method}: ${response.status}`);
    const reply: { readonly result: T; readonly error?: object } = await response.json();
    if (life.isOver) throw killed;
    if (reply.error) throw new NodeFault("error", `${method}: ${JSON.stringify(reply.error)}`);
    return reply.result;
  };
}
