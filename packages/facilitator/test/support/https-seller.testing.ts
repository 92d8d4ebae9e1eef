/** A seller over HTTPS on this machine, who answers what a test tells him to. */
import { createServer } from "node:https";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { buildChallenge, networkOfChain, type Address, type JsonObject } from "@farthing/protocol";
import type { ServerIdentity } from "./certificates.testing.ts";
import { listenHere } from "./listening.testing.ts";

/** A request as it came. */
export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Answers a request. */
export type Answerer = (response: ServerResponse, asked: Asked) => void;

/** A seller. */
export interface HttpsSeller {
  /** `https://127.0.0.1:…` */
  readonly origin: string;
  readonly asked: Asked[];
  answer: Answerer;
  close(): void;
}

/** Opens a seller. */
export async function openHttpsSeller(
  identity: ServerIdentity,
  answer: Answerer,
): Promise<HttpsSeller> {
  const asked: Asked[] = [];
  const server = createServer(identity, (request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += String(chunk)));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const one = { method, url, headers, body };
      asked.push(one);
      seller.answer(response, one);
    });
  });
  const port = await listenHere(server);
  const seller: HttpsSeller = {
    origin: `https://127.0.0.1:${port}`,
    asked,
    answer,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return seller;
}

/** What a seller asks for. */
export interface Terms {
  readonly url: string;
  readonly payTo: Address;
  readonly amount?: bigint;
  readonly mode?: "dual" | "v2-only";
  readonly extensions?: JsonObject;
}

/** The challenge of a seller in order: header and body, on chain 51. */
export function challengeOf({ url, payTo, amount = 10_000n, mode = "dual", extensions }: Terms) {
  const network = networkOfChain(51);
  return buildChallenge({
    offers: [
      {
        version: 2,
        network,
        networkName: network.id,
        asset: network.usdc,
        amount,
        payTo,
        maxTimeoutSeconds: 60,
      },
    ],
    resource: { url, description: "One report", mimeType: "application/json" },
    mode,
    ...(extensions && { extensions }),
  });
}

/** Answers 402 with a challenge. */
export function charging({ headers, body }: ReturnType<typeof challengeOf>): Answerer {
  return (response) => {
    response.writeHead(402, headers).end(JSON.stringify(body));
  };
}

/** Answers with a status and nothing else. */
export function saying(status: number, headers: Readonly<Record<string, string>> = {}): Answerer {
  return (response) => {
    response.writeHead(status, headers).end();
  };
}
