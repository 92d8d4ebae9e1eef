/** JSON-RPC to the local chain: one call, or many in one request. Nothing is repeated or hidden. */

/** One call of a batch. */
export interface RpcCall {
  method: string;
  params: unknown[];
}

/** The chain answered with an error. `data` holds the revert data when a contract reverted. */
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

interface RpcAnswer<T> {
  id: number;
  result: T;
  error?: { code: number; message: string; data?: unknown };
}

/** Sends calls in one HTTP request and returns their results in order. Throws the first error. */
export async function sendBatch<T>(url: string, calls: RpcCall[]): Promise<T[]> {
  const answers = await post<T>(url, calls);
  return calls.map(({ method }, id) => resultOf(method, answers.get(id)));
}

/** Sends one call. */
export async function sendCall<T>(url: string, call: RpcCall): Promise<T> {
  const answers = await post<T>(url, [call]);
  return resultOf(call.method, answers.get(0));
}

async function post<T>(url: string, calls: RpcCall[]): Promise<Map<number, RpcAnswer<T>>> {
  const body = calls.map((call, id) => ({ jsonrpc: "2.0", id, ...call }));
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const answers: RpcAnswer<T>[] = await response.json();
  return new Map(answers.map((answer) => [answer.id, answer]));
}

function resultOf<T>(method: string, answer: RpcAnswer<T> | undefined): T {
  if (!answer) throw new Error(`${method}: no answer`);
  if (answer.error) throw new RpcError(method, answer.error);
  return answer.result;
}
