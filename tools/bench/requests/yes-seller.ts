/** A seller for which every payment is good, and a node with enough money: what is measured is the buyer. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text as readText } from "node:stream/consumers";
import { buildChallenge, headerNames, isObject, parseJson } from "@farthing/protocol";
import { oneCent, receiptHeader } from "@farthing/buyer/testing";
import { addressOf } from "@farthing/seller/testing/listen";

export interface YesSeller {
  readonly url: string;
  /** How many payments it has received. */
  payments(): number;
  close(): Promise<void>;
}

/** What is served there: for nothing, for a cent, and by a JSON-RPC node. */
export const yesPaths = { free: "/free", paid: "/paid", node: "/node" } as const;

const content = "content";

/** Starts it in this process. Its responses are written once, so that it needs less than a buyer. */
export async function startYesSeller(): Promise<YesSeller> {
  let payments = 0;
  let challenge: Readonly<Record<string, string>> = {};
  const receipt = receiptHeader();
  const server = createServer((request, response) => {
    if (request.url === yesPaths.node) return void replyAsNode(request, response);
    const isFree = request.url === yesPaths.free;
    const isPaid = request.headers[headerNames.paymentSignature.toLowerCase()] !== undefined;
    if (isPaid) payments += 1;
    // The published seller sends its challenge in the header, and this body.
    if (!isFree && !isPaid) return respond(response, 402, challenge, "{}");
    respond(response, 200, isFree ? {} : receipt, content);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = addressOf(server);
  // With the address that is requested, as a payment that is bound to its request needs it.
  const resource = { url: `${url}${yesPaths.paid}`, description: "One report", mimeType: "" };
  challenge = buildChallenge({ offers: [oneCent], resource, mode: "v2-only" }).headers;
  return {
    url,
    payments: () => payments,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function respond(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string,
): void {
  response.writeHead(status, { ...headers, "Content-Length": Buffer.byteLength(body) });
  response.end(body);
}

/** A thousand USDC, as a word of the chain. */
const balance = `0x${(1_000_000_000).toString(16).padStart(64, "0")}`;
const chainId = `0x${oneCent.network.chainId.toString(16)}`;

async function replyAsNode(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const call = parseJson(await readText(request))?.value;
  const { id, method } = isObject(call) ? call : {};
  const result = method === "eth_chainId" ? chainId : balance;
  const body = JSON.stringify({ jsonrpc: "2.0", id, result });
  respond(response, 200, { "Content-Type": "application/json" }, body);
}
