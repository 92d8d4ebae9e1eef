/**
 * One HTTP request to a node, by undici's `dispatch`: `fetch` takes several times as much processor time
 * for it, a third of what a lone `/verify` took.
 */
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { getGlobalDispatcher, type Dispatcher } from "undici";

/** What a node answered; `text` is undefined for a body that is longer than allowed. */
export interface NodeResponse {
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  readonly text: string | undefined;
}

const unzip = promisify(gunzip);
const utf8 = new TextDecoder();

export interface NodeRequest {
  readonly origin: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** For the whole response, in milliseconds. */
  readonly timeoutMs: number;
  /** Of the response's body, also after decompression. */
  readonly bytesMax: number;
}

/** Rejects with what the connection failed by, or with a `TimeoutError`. */
export async function postToNode(request: NodeRequest): Promise<NodeResponse> {
  const { status, headers, body } = await readResponse(request);
  const header = (name: string) => [headers[name]].flat()[0];
  const text = body && (await decode(body, header("content-encoding"), request.bytesMax));
  return { status, header, text };
}

type Headers = Record<string, string | string[] | undefined>;

/** Of a response whose body may be compressed, or undefined for one that is longer than allowed. */
interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer | undefined;
}

async function readResponse({ timeoutMs, bytesMax, ...request }: NodeRequest): Promise<Received> {
  let timer: NodeJS.Timeout | undefined;
  const response = new Promise<Received>((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let tooLate: Error | undefined;
    timer = setTimeout(() => {
      tooLate = new DOMException(`No answer within ${timeoutMs} ms`, "TimeoutError");
      reject(tooLate);
      controller?.abort(tooLate);
    }, timeoutMs);
    let head: Pick<Received, "status" | "headers"> = { status: 0, headers: {} };
    const chunks: Buffer[] = [];
    let bytes = 0;
    // The connections of `fetch`: they stay open, and go through a proxy where Node.js is told to.
    getGlobalDispatcher().dispatch(
      { ...request, method: "POST" },
      {
        onRequestStart(started) {
          controller = started;
          // The time can be over before there is a connection.
          if (tooLate) started.abort(tooLate);
        },
        onResponseStart(_controller, status, headers) {
          head = { status, headers };
        },
        onResponseData(responding, chunk) {
          bytes += chunk.byteLength;
          if (bytes <= bytesMax) {
            chunks.push(chunk);
            return;
          }
          resolve({ ...head, body: undefined });
          responding.abort(new Error("The response is longer than allowed."));
        },
        onResponseEnd: () => resolve({ ...head, body: Buffer.concat(chunks) }),
        onResponseError: (_controller, error) => reject(error),
      },
    );
  });
  return response.finally(() => clearTimeout(timer));
}

/** Text of a body that may be compressed as the request allows; undefined if it is too long. */
async function decode(body: Buffer, encoding: string | undefined, bytesMax: number) {
  if (encoding?.toLowerCase() !== "gzip") return utf8.decode(body);
  try {
    return utf8.decode(await unzip(body, { maxOutputLength: bytesMax }));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE") {
      return undefined;
    }
    throw error;
  }
}
