/** A seller over real loopback HTTP that answers as a test tells it, and remembers everything. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { text as readText } from "node:stream/consumers";
import {
  buildChallenge,
  encodeHeader,
  headerNames,
  parsePayment,
  decodeHeader,
  xdc,
  type Payment,
  type Requirements,
} from "@farthing/protocol";
import { privateKeySigner, type Signer } from "./signer.ts";
import type { Runtime } from "./runtime.ts";

/** A public test key (Hardhat's account #1); its address is the payer of all tests. */
export const testKey = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d";
export const payer = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
export const payTo = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C";
export const otherPayee = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";
export const transaction = `0x${"cd".repeat(32)}` as const;

/** One cent on XDC. */
export const oneCent: Requirements = {
  version: 2,
  network: xdc,
  networkName: "eip155:50",
  asset: xdc.usdc,
  amount: 10_000n,
  payTo,
  maxTimeoutSeconds: 60,
};

/** What a seller does with a request. */
export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  /** Break the connection: before the answer, or after half of the body. */
  readonly cut?: "before" | "body";
  /** Never answer. */
  readonly hang?: boolean;
}

/** A 402 in both versions for the given offers. */
export function challenge(...offers: readonly Requirements[]): Answer {
  const { headers, body } = buildChallenge({
    offers: offers.length === 0 ? [oneCent] : offers,
    resource: { url: "https://seller.example/r", description: "d", mimeType: "text/plain" },
  });
  return { status: 402, headers, body: JSON.stringify(body) };
}

/** A 402 with nothing but this body. */
export function bodyChallenge(accepts: readonly unknown[], top: object = {}): Answer {
  return { status: 402, body: JSON.stringify({ x402Version: 1, accepts, ...top }) };
}

/** The settle answer as a receipt header. */
export function receiptHeader(over: object = {}): Record<string, string> {
  const receipt = { success: true, payer, transaction, network: "eip155:50", ...over };
  return { [headerNames.paymentResponse]: encodeHeader(receipt) };
}

/** Content with a receipt of success. */
export function served(over: object = {}): Answer {
  return { status: 200, headers: receiptHeader(over), body: "content" };
}

/** What a request brought. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  /** The payment header as it came, whatever its version. */
  readonly paymentHeader: string | undefined;
}

/** A running seller. */
export interface ScriptedSeller extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly SeenRequest[];
  /** Requests that carried a payment. */
  readonly paid: readonly SeenRequest[];
  /** The payment of the n-th paid request. */
  payment(index?: number): Payment;
}

/** The script: what to answer to unpaid requests, and one after the other to paid ones. */
export interface Script {
  readonly unpaid?: Answer | ((request: SeenRequest) => Answer);
  /** The last one is repeated. */
  readonly paid?: readonly (Answer | ((request: SeenRequest) => Answer))[];
}

/** Starts a seller on a free loopback port. */
export async function startSeller(script: Script = {}): Promise<ScriptedSeller> {
  const { unpaid = challenge(), paid: answers = [served()] } = script;
  const requests: SeenRequest[] = [];
  const paid = () => requests.filter(({ paymentHeader }) => paymentHeader !== undefined);
  const server = createServer((incoming, outgoing) => {
    void readRequest(incoming).then((seen) => {
      requests.push(seen);
      if (seen.paymentHeader !== undefined) {
        const answer = answers[Math.min(paid().length, answers.length) - 1] ?? served();
        return give(outgoing, typeof answer === "function" ? answer(seen) : answer);
      }
      return give(outgoing, typeof unpaid === "function" ? unpaid(seen) : unpaid);
    });
  });
  const origin = await listen(server);
  return {
    url: `${origin}/r`,
    requests,
    get paid() {
      return paid();
    },
    payment(index = 0) {
      const header = paid()[index]?.paymentHeader ?? "";
      const parsed = parsePayment(decodeHeader(header)?.value);
      if (!parsed.ok) throw new Error(`The payment does not parse: ${parsed.refusal.message}`);
      return parsed.value;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Starts a server on a free loopback port and gives its origin. */
export async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("No port was given.");
  return `http://127.0.0.1:${address.port}`;
}

async function readRequest(incoming: IncomingMessage): Promise<SeenRequest> {
  const body = await readText(incoming);
  const { method = "", url = "", headers } = incoming;
  const names = [headerNames.paymentSignature, headerNames.xPayment];
  const header = names.map((name) => headers[name.toLowerCase()]).find((value) => value);
  return {
    method,
    path: url,
    headers,
    body,
    paymentHeader: typeof header === "string" ? header : undefined,
  };
}

function give(outgoing: ServerResponse, answer: Answer): void {
  const { status = 200, headers = {}, body = "", cut, hang } = answer;
  if (hang === true) return;
  if (cut === "before") {
    outgoing.destroy();
    return;
  }
  outgoing.statusCode = status;
  for (const [name, value] of Object.entries(headers)) outgoing.setHeader(name, value);
  if (!outgoing.hasHeader("Content-Length")) {
    outgoing.setHeader("Content-Length", Buffer.byteLength(body));
  }
  if (cut === "body") {
    outgoing.write(body.slice(0, body.length / 2), () => outgoing.destroy());
    return;
  }
  outgoing.end(body);
}

/** A signer that counts: the number of signatures is what most tests are about. */
export function countingSigner(): Signer & { readonly count: number } {
  const signer = privateKeySigner(testKey);
  let count = 0;
  return {
    address: signer.address,
    get count() {
      return count;
    },
    signTypedData(typedData) {
      count += 1;
      return signer.signTypedData(typedData);
    },
    ...(signer.signMessage ? { signMessage: signer.signMessage.bind(signer) } : {}),
  };
}

/** A clock that moves only when somebody waits on it. */
export interface FakeClock extends Runtime {
  /** The waits asked for, in seconds. */
  readonly waits: readonly number[];
  /** Unix milliseconds. */
  time: number;
}

/** Creates a clock at a fixed moment, with the platform's random source. */
export function fakeClock(): FakeClock {
  const waits: number[] = [];
  return {
    waits,
    time: 1_790_000_000_000,
    now() {
      return this.time;
    },
    async sleep(milliseconds, signal) {
      signal?.throwIfAborted();
      waits.push(milliseconds / 1000);
      this.time += milliseconds;
    },
    randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
  };
}
