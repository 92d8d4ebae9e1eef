/**
 * A buyer, a seller and a facilitator as somebody writes them who has the service description and
 * nothing else: flat version 2 payments, version 1, polling by id, and strict about the names that
 * the description gives. They share no code with the packages; signatures are viem's.
 */
import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type { Devnet, DevnetWallet } from "@farthing/devnet";
import { listen, type Listening } from "@farthing/seller/testing/listen";
import { encodeFunctionData, parseAbi } from "viem";
import { privateKeyToAccount } from "viem/accounts";

type Hex = `0x${string}`;

/** Section 2.2. */
interface Entry {
  readonly scheme: string;
  readonly network: string;
  readonly amount?: string;
  readonly maxAmountRequired?: string;
  readonly payTo: Hex;
  readonly maxTimeoutSeconds: number;
  readonly extra: { readonly name: string; readonly version: string };
}

/** Section 2.4. */
interface Payment {
  readonly x402Version: number;
  readonly scheme: string;
  readonly network: string;
  readonly payload: {
    readonly signature: Hex;
    readonly authorization: {
      readonly from: Hex;
      readonly to: Hex;
      readonly value: string;
      readonly validAfter: string;
      readonly validBefore: string;
      readonly nonce: Hex;
    };
  };
}

/** What a facilitator says, as far as a seller reads it. */
export interface Said {
  readonly isValid?: boolean;
  readonly success?: boolean;
  readonly id?: string;
  readonly status?: string;
  readonly transaction?: string;
}

/** One answer that a seller heard, and from where. */
export interface Heard extends Said {
  readonly path: string;
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64");

/** Section 2.1: the chain, its label, its USDC and the token's name and version. */
export interface Constants {
  readonly chainId: number;
  readonly label: string;
  readonly usdc: Hex;
}

const types = {
  TransferWithAuthorization: [
    { name: "from", type: "address" },
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
    { name: "validAfter", type: "uint256" },
    { name: "validBefore", type: "uint256" },
    { name: "nonce", type: "bytes32" },
  ],
} as const;

/** Sections 1 and 2.4: asks, signs for the entry of a version, and asks again with the payment. */
export async function buyAsDescribed(
  url: string,
  { privateKey }: DevnetWallet,
  { chainId, usdc, label }: Constants,
  version: 1 | 2,
): Promise<Response> {
  const challenge = await fetch(url);
  if (challenge.status !== 402) return challenge;
  const { accepts }: { accepts: Entry[] } = JSON.parse(await challenge.text());
  // A version 2 entry has `amount` and an eip155 network, a version 1 entry a plain label.
  const wanted = version === 2 ? `eip155:${chainId}` : label;
  const amountKey = version === 2 ? "amount" : "maxAmountRequired";
  const entry = accepts.find(
    (one) => one.scheme === "exact" && one.network === wanted && one[amountKey] !== undefined,
  );
  if (!entry) throw new Error(`there is no entry for ${wanted}`);
  const account = privateKeyToAccount(privateKey);
  const authorization: Payment["payload"]["authorization"] = {
    from: account.address,
    to: entry.payTo,
    value: entry[amountKey] ?? "",
    validAfter: "0",
    validBefore: String(Math.floor(Date.now() / 1000) + entry.maxTimeoutSeconds),
    nonce: `0x${randomBytes(32).toString("hex")}`,
  };
  const { value, validAfter, validBefore } = authorization;
  const signature = await account.signTypedData({
    domain: {
      name: entry.extra.name,
      version: entry.extra.version,
      chainId,
      verifyingContract: usdc,
    },
    types,
    primaryType: "TransferWithAuthorization",
    message: {
      ...authorization,
      value: BigInt(value),
      validAfter: BigInt(validAfter),
      validBefore: BigInt(validBefore),
    },
  });
  const payment: Payment = {
    x402Version: version,
    scheme: "exact",
    network: entry.network,
    payload: { signature, authorization },
  };
  const header = version === 2 ? "PAYMENT-SIGNATURE" : "X-PAYMENT";
  return fetch(url, { headers: { [header]: encode(payment) } });
}

/** A running seller. */
export interface DescribedShop extends Listening {
  /** How often content was made. */
  readonly made: () => number;
  /** What the facilitator said, in order. */
  readonly heard: readonly Heard[];
}

/** What a seller must know. */
export interface ShopTerms extends Constants {
  readonly payTo: string;
  readonly units: string;
  readonly facilitator: { readonly url: string; readonly apiKey?: string };
}

/** Section 4.4: a seller's server, strict about the top-level `scheme` and `network` of 2.4. */
export async function openDescribedShop(terms: ShopTerms): Promise<DescribedShop> {
  let made = 0;
  const heard: Heard[] = [];
  const { chainId, label, usdc, payTo, units, facilitator } = terms;
  const common = { scheme: "exact", asset: usdc, payTo, maxTimeoutSeconds: 120 };
  const domain = { name: "USDC", version: "2" };
  const first = { ...common, network: label, maxAmountRequired: units, extra: domain };
  const extra = { assetTransferMethod: "eip3009", ...domain };
  const second = { ...common, x402Version: 2, network: `eip155:${chainId}`, amount: units, extra };

  async function ask(method: string, path: string, body?: unknown): Promise<Said> {
    const { url, apiKey } = facilitator;
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(apiKey === undefined ? {} : { Authorization: `Bearer ${apiKey}` }),
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const said: Said = JSON.parse(await response.text());
    heard.push({ path, ...said });
    return response.ok ? said : {};
  }

  /** The transaction that paid, or undefined when the payment is not good. */
  async function collect(
    header: string,
    requirements: { readonly scheme: string; readonly network: string },
  ): Promise<string | undefined> {
    const paymentPayload: Payment = JSON.parse(Buffer.from(header, "base64").toString());
    if (paymentPayload.scheme !== requirements.scheme) return undefined;
    if (paymentPayload.network !== requirements.network) return undefined;
    const body = { paymentPayload, paymentRequirements: requirements };
    if ((await ask("POST", "/verify", body)).isValid !== true) return undefined;
    let settlement = await ask("POST", "/settle", body);
    while (settlement.success !== true) {
      if (typeof settlement.id !== "string" || settlement.status === "failed") return undefined;
      settlement = await ask("GET", `/settlements/${settlement.id}?wait=5`);
    }
    return settlement.transaction;
  }

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { "payment-signature": two, "x-payment": one } = req.headers;
    const header = [two ?? one].flat()[0];
    const requirements = two === undefined ? first : second;
    const transaction = header === undefined ? undefined : await collect(header, requirements);
    res.setHeader("Content-Type", "application/json");
    if (transaction === undefined) {
      res.writeHead(402).end(JSON.stringify({ x402Version: 1, accepts: [first, second] }));
      return;
    }
    const receipt = encode({ success: true, transaction, network: requirements.network });
    res.setHeader("X-PAYMENT-RESPONSE", receipt).setHeader("PAYMENT-RESPONSE", receipt);
    res.writeHead(200).end(JSON.stringify({ report: ++made }));
  }

  const listening = await listen((req, res) => {
    answer(req, res).catch((error: unknown) => res.writeHead(500).end(String(error)));
  });
  return { ...listening, made: () => made, heard };
}

const abi = parseAbi([
  "function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)",
]);

/** An account of the devnet's node, which signs for it: this facilitator's relayer wallet. */
const relayer = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";

/** A facilitator whose `/settle` answers `{ "id" }` alone, as section 4.1 says of the public one. */
export async function openDescribedFacilitator(
  devnet: Devnet,
  { chainId, label, usdc }: Constants,
  record: (transaction: string, isMined: boolean) => object,
): Promise<Listening & { readonly asked: string[] }> {
  const asked: string[] = [];
  const ids = new Map<string, string>();
  const names = [label, `eip155:${chainId}`];

  async function settle({ authorization, signature }: Payment["payload"]) {
    const { from, to, value, validAfter, validBefore, nonce } = authorization;
    const numbers = [BigInt(value), BigInt(validAfter), BigInt(validBefore)] as const;
    const args = [from, to, ...numbers, nonce, signature] as const;
    const data = encodeFunctionData({ abi, functionName: "transferWithAuthorization", args });
    const id = `set-${nonce.slice(2, 18)}`;
    if (ids.has(id)) return { id };
    const hash = await devnet.rpc<string>("eth_sendTransaction", [
      { from: relayer, to: usdc, data },
    ]);
    ids.set(id, hash);
    return { id };
  }

  async function answer(req: IncomingMessage): Promise<[status: number, body: object]> {
    const { method = "", url = "" } = req;
    const path = url.split("?")[0] ?? "";
    asked.push(`${method} ${path.replace(/set-.*/, "{id}")}`);
    if (path === "/supported") {
      const kind = { scheme: "exact", asset: usdc, extra: { decimals: 6 } };
      const kinds = names.map((network, index) => ({ x402Version: index + 1, network, ...kind }));
      return [200, { kinds }];
    }
    const hash = ids.get(path.slice("/settlements/".length));
    if (method === "GET" && hash !== undefined) {
      const receipt = await devnet.rpc<object | null>("eth_getTransactionReceipt", [hash]);
      return [200, { id: path.slice("/settlements/".length), ...record(hash, receipt !== null) }];
    }
    if (method !== "POST") return [404, { error: "not_found" }];
    const body: { paymentPayload: Payment; paymentRequirements: Entry } = JSON.parse(
      await text(req),
    );
    const { paymentPayload: payment, paymentRequirements: terms } = body;
    // Section 2.4: scheme and network stand at the top of the payload.
    const isNamed = payment.scheme === "exact" && names.includes(payment.network);
    if (!isNamed || payment.network !== terms.network) {
      return [200, { isValid: false, success: false, invalidReason: "network_mismatch" }];
    }
    const { payload } = payment;
    if (path === "/verify") return [200, { isValid: payload.authorization.to === terms.payTo }];
    return [200, await settle(payload)];
  }

  const listening = await listen((req, res) => {
    void answer(req).then(
      ([status, body]) =>
        res.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body)),
      (error: unknown) => res.writeHead(500).end(String(error)),
    );
  });
  return { ...listening, asked };
}
