/** JSON-RPC to the local chain. Nothing is retried or hidden. */
import { postJson } from "./post-json.ts";

export interface RpcCall {
  method: string;
  params: unknown[];
}

/** `data` holds the revert data when a contract reverted. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: number;
  readonly data: unknown;

  constructor(method: string, error: { code: number; message: string; data?: unknown }) {
    super(`${method}: ${error.message}`);
    this.code = error.code;
    this.data = error.data;
  }
}

interface RpcReply<T> {
  id: number;
  result: T;
  error?: { code: number; message: string; data?: unknown };
}

/** One HTTP request; the results are in order. Throws the first error. */
export async function sendBatch<T>(url: string, calls: RpcCall[]): Promise<T[]> {
  const body = calls.map((call, id) => ({ jsonrpc: "2.0", id, ...call }));
  const replies: RpcReply<T>[] = JSON.parse(await postJson(url, JSON.stringify(body)));
  const byId = new Map(replies.map((reply) => [reply.id, reply]));
  return calls.map(({ method }, id) => {
    const reply = byId.get(id);
    if (!reply) throw new Error(`${method}: no answer`);
    if (reply.error) throw new RpcError(method, reply.error);
    return reply.result;
  });
}

export async function sendCall<T>(url: string, call: RpcCall): Promise<T> {
  const [result] = await sendBatch<T>(url, [call]);
  if (result === undefined) throw new Error(`${call.method}: no result`);
  return result;
}
