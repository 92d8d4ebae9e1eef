/** JSON-RPC over HTTP as a node reads and writes it. */
import { isObject } from "@farthing/protocol";

/** One call. */
export interface NodeCall {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** What a node says to a call. */
export type NodeReply =
  | { readonly result: unknown }
  | {
      readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
    };

/** What stands behind an address: a real node, or a simulated one. */
export interface NodeUpstream {
  /** One reply per call, in order, as a backend so many blocks behind gives it. */
  answer(calls: readonly NodeCall[], lagBlocks: number): Promise<readonly NodeReply[]>;
}

/** One HTTP request. */
export interface NodeRequest {
  readonly calls: readonly NodeCall[];
  readonly isBatch: boolean;
  readonly bytes: number;
}

/** One HTTP response. */
export interface NodeResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Reads a request's body. Throws on what is no JSON. */
export function readRequest(text: string): NodeRequest {
  const body: unknown = JSON.parse(text);
  const isBatch = Array.isArray(body);
  return {
    calls: (isBatch ? body : [body]).map(readCall),
    isBatch,
    bytes: Buffer.byteLength(text),
  };
}

function readCall(value: unknown): NodeCall {
  const { id, method, params } = isObject(value) ? value : {};
  return { id: id ?? null, method: String(method), params: Array.isArray(params) ? params : [] };
}

/** The response with a reply for each call. */
export function respond({ calls, isBatch }: NodeRequest, replies: readonly NodeReply[]) {
  const answers = calls.map(({ id }, index) => ({ jsonrpc: "2.0", id, ...replies[index] }));
  return json(200, isBatch ? answers : answers[0]);
}

/** A response of JSON. */
export function json(status: number, value: unknown): NodeResponse {
  const headers = { "content-type": "application/json" };
  return { status, headers, body: JSON.stringify(value) };
}

/** A response of HTML, as gateways in front of nodes give it. */
export function html(status: number, title: string): NodeResponse {
  const body = `<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`;
  return { status, headers: { "content-type": "text/html" }, body };
}

/** An error reply. */
export function refuse(code: number, message: string): NodeReply {
  return { error: { code, message } };
}

/** An error that belongs to no call, as it is given for a whole batch. */
export function errorOfNone(code: number, message: string) {
  return { jsonrpc: "2.0", id: null, error: { code, message } };
}
