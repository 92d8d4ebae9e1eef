/**
 * One JSON-RPC endpoint over HTTP: several calls travel in one request. Never retries: who asks
 * knows whether asking twice is safe. Faults name the endpoint by its number, never by its URL,
 * which may hold a provider's key.
 */
import { unescape } from "node:querystring";
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
  /** Whether it takes several calls in one request; undefined until that was tried. */
  takesBatches(): boolean | undefined;
}

/** Largest answer that is read: a block's logs of a full block stay below it. */
const answerBytesMax = 64 * 1024 * 1024;

/** Longest part of a node's error text that is kept. */
const errorCharsMax = 300;

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
  const unavailable = (what: string) =>
    new Fault("rpc_unavailable", `RPC endpoint ${index}: ${what}`);
  const scrub = createScrubber(url);
  const { address, headers } = targetOf(url);
  let hasBatches: boolean | undefined;

  const read = (body: unknown) => readAnswer(body, unavailable, scrub);

  async function post(body: unknown): Promise<unknown> {
    let response: Response;
    let text: string;
    try {
      response = await fetch(address, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(timeoutMs),
        redirect: "error",
      });
      const length = Number(response.headers.get("content-length") ?? 0);
      if (length > answerBytesMax) throw unavailable("the answer is too large");
      text = await response.text();
    } catch (error) {
      if (error instanceof Fault) throw error;
      throw unavailable(`no answer (${reasonOf(error)})`);
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
    if (requests.length === 1 && only) return [read(await post(only))];
    const body = await post(requests);
    hasBatches = Array.isArray(body);
    if (!Array.isArray(body)) {
      // A node without batches answers one error for the whole; ask one by one.
      return Promise.all(requests.map(async (request) => read(await post(request))));
    }
    const byId = new Map(body.filter(isObject).map((answer) => [answer["id"], answer]));
    return requests.map((request) => read(byId.get(request.id)));
  }

  return { index, send, takesBatches: () => hasBatches };
}

/** Where to post and with what headers: `fetch` takes no name and password inside a URL. */
function targetOf(url: Secret): { address: string; headers: Record<string, string> } {
  const target = new URL(url.expose());
  const login = `${unescape(target.username)}:${unescape(target.password)}`;
  target.username = "";
  target.password = "";
  const headers = { "content-type": "application/json" };
  if (login === ":") return { address: target.href, headers };
  const authorization = `Basic ${Buffer.from(login).toString("base64")}`;
  return { address: target.href, headers: { ...headers, authorization } };
}

/** The kind of a transport error, and not its text, which may quote the URL. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const code = isObject(error.cause) ? error.cause["code"] : undefined;
  return typeof code === "string" ? code : error.name;
}

/**
 * Makes node texts fit to be kept: providers quote the URL with its key, nodes the transaction with
 * the payer's signature.
 */
function createScrubber(url: Secret): (text: string) => string {
  const { href, host, username, password, pathname, search } = new URL(url.expose());
  const parts = [username, password, ...pathname.split("/"), ...search.split(/[?&=]/)];
  const secrets = [url.expose(), href, ...parts.filter((part) => part.length >= secretCharsMin)];
  return (text) =>
    secrets
      .toSorted((one, other) => other.length - one.length)
      .reduce((rest, secret) => rest.replaceAll(secret, "[secret]"), text)
      .replaceAll(/[.:]/.test(host) ? host : href, "[host]")
      .replaceAll(/\bhttps?:\/\/\S+/g, "[url]")
      .replaceAll(/[0-9a-fA-F]{100,}/g, "[bytes]")
      .slice(0, errorCharsMax);
}

/** Parts of a URL's path this long may be a key; shorter ones are words such as `rpc` and `v2`. */
const secretCharsMin = 8;

function readAnswer(
  body: unknown,
  unavailable: (what: string) => Fault,
  scrub: (text: string) => string,
): RpcAnswer {
  if (!isObject(body)) throw unavailable("an answer is missing");
  const error = body["error"];
  if (isObject(error)) {
    const { code, message, data } = error;
    return {
      ok: false,
      error: {
        code: typeof code === "number" ? code : 0,
        message: typeof message === "string" ? scrub(message) : "",
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
