/**
 * One JSON-RPC endpoint over HTTP: several calls travel in one request. Never retries: who asks
 * knows whether asking twice is safe. Faults name the endpoint by its number, never by its URL,
 * which may hold a provider's key.
 */
import { isObject, type Hex } from "@farthing/protocol";
import { Fault } from "../base/fault.ts";
import type { Secret } from "../base/secret.ts";
import type { NodeError } from "./node-errors.ts";

/** A JSON-RPC method with its parameters. */
export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** What came back for one call. */
export type RpcAnswer =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly error: NodeError };

/** An endpoint that can be asked. */
export interface RpcEndpoint {
  readonly index: number;
  /** One answer per call, in order. Throws the fault `rpc_unavailable` when no answer was read. */
  send(calls: readonly RpcCall[]): Promise<RpcAnswer[]>;
}

/** Largest answer that is read: a block's logs of a full block stay below it. */
const answerBytesMax = 64 * 1024 * 1024;

/** How long an endpoint may take, in milliseconds: XDC nodes stop an `eth_call` after 5 s. */
export const rpcTimeoutMsDefault = 10_000;

let nextId = 1;

/** Creates an endpoint. */
export function createRpcEndpoint(options: {
  url: Secret;
  index: number;
  timeoutMs?: number;
}): RpcEndpoint {
  const { url, index, timeoutMs = rpcTimeoutMsDefault } = options;
  const unavailable = (what: string, cause?: unknown) =>
    new Fault("rpc_unavailable", `RPC endpoint ${index}: ${what}`, scrubbed(cause));

  async function post(body: unknown): Promise<unknown> {
    let response: Response;
    let text: string;
    try {
      response = await fetch(url.expose(), {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(timeoutMs),
        redirect: "error",
      });
      const length = Number(response.headers.get("content-length") ?? 0);
      if (length > answerBytesMax) throw unavailable("the answer is too large");
      text = await response.text();
    } catch (error) {
      if (error instanceof Fault) throw error;
      throw unavailable("no answer", error);
    }
    try {
      return JSON.parse(text) as unknown;
    } catch {
      throw unavailable(`HTTP ${response.status} without JSON`);
    }
  }

  async function send(calls: readonly RpcCall[]): Promise<RpcAnswer[]> {
    if (calls.length === 0) return [];
    const requests = calls.map(({ method, params }) => ({
      jsonrpc: "2.0",
      id: nextId++,
      method,
      params,
    }));
    const [only] = requests;
    if (requests.length === 1 && only) return [readAnswer(await post(only), unavailable)];
    const body = await post(requests);
    if (!Array.isArray(body)) {
      // A node without batches answers one error for the whole; ask one by one.
      return Promise.all(
        requests.map(async (request) => readAnswer(await post(request), unavailable)),
      );
    }
    const byId = new Map(body.filter(isObject).map((answer) => [answer["id"], answer]));
    return requests.map((request) => readAnswer(byId.get(request.id), unavailable));
  }

  return { index, send };
}

/** Keeps the kind of a transport error but not its text, which may quote the URL. */
function scrubbed(cause: unknown): { cause?: unknown } {
  if (!(cause instanceof Error)) return {};
  const inner = cause.cause;
  const code = isObject(inner) ? inner["code"] : undefined;
  return { cause: new Error(typeof code === "string" ? code : cause.name) };
}

function readAnswer(body: unknown, unavailable: (what: string) => Fault): RpcAnswer {
  if (!isObject(body)) throw unavailable("an answer is missing");
  const error = body["error"];
  if (isObject(error)) {
    const { code, message, data } = error;
    return {
      ok: false,
      error: {
        code: typeof code === "number" ? code : 0,
        message: typeof message === "string" ? message : "",
        data: readRevertData(data),
      },
    };
  }
  if (!("result" in body)) throw unavailable("an answer has neither result nor error");
  return { ok: true, result: body["result"] };
}

function readRevertData(data: unknown): Hex | undefined {
  if (typeof data === "string" && /^0x[0-9a-fA-F]*$/.test(data)) return `0x${data.slice(2)}`;
  return isObject(data) ? readRevertData(data["data"]) : undefined;
}
