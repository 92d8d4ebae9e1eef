/** The facilitator that sellers under test ask: an honest one, whose answers a case can replace. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type { Devnet } from "@farthing/devnet";
import {
  isSameAddress,
  isSignedByPayer,
  parseJson,
  parsePaymentRequest,
  type JsonObject,
  type PaymentRequest,
} from "@farthing/protocol";
import { findTransfer, transferCall } from "../chain/chain-facts.ts";
import { network } from "../chain/payments.ts";

export type FacilitatorCall = "verify" | "settle";

/** What a seller gets; `cut` ends the connection without a response. */
export type ScriptedResponse =
  | "cut"
  | { readonly status: number; readonly body: JsonObject | string };

export interface ScriptedFacilitator {
  readonly url: string;
  /** Calls so far. */
  readonly calls: FacilitatorCall[];
  /** Replaces answers; `honest` carries the call out and returns the true one. */
  answer: (call: FacilitatorCall, honest: () => Promise<JsonObject>) => Promise<ScriptedResponse>;
  /** Whether each repeat of a settled payment has the first result again, or a refusal. */
  repeatsSuccess: boolean;
  /** As if no seller had been told of any success. */
  forget(): void;
  reset(): void;
  stop(): Promise<void>;
}

const honestly: ScriptedFacilitator["answer"] = async (_call, honest) => ({
  status: 200,
  body: await honest(),
});

/** Starts one; it settles by the chain's own account. */
export async function startScriptedFacilitator(devnet: Devnet): Promise<ScriptedFacilitator> {
  const settling = new Map<string, Promise<void>>();
  /** Payments whose success a seller has been told. */
  const told = new Set<string>();

  async function verify(request: PaymentRequest): Promise<JsonObject> {
    const reason = refusalOf(request);
    const { from: payer, nonce } = request.payment.authorization;
    const isUsed = await devnet.usdc.authorizationState(payer, nonce);
    const found = reason ?? (isUsed ? "invalid_exact_evm_nonce_already_used" : undefined);
    return found === undefined
      ? { isValid: true, payer }
      : { isValid: false, invalidReason: found, payer };
  }

  async function settle(request: PaymentRequest): Promise<JsonObject> {
    const { authorization, networkName, signature } = request.payment;
    const answer = { network: networkName, payer: authorization.from };
    const reason = refusalOf(request);
    if (reason !== undefined)
      return { ...answer, success: false, errorReason: reason, transaction: "" };
    const send = () => devnet.send(devnet.token, transferCall({ authorization, signature }));
    const { nonce } = authorization;
    if (!settling.has(nonce)) settling.set(nonce, send());
    await settling.get(nonce);
    const transaction = await findTransfer(devnet, authorization);
    if (told.has(nonce) && !facilitator.repeatsSuccess) {
      const errorReason = "invalid_exact_evm_nonce_already_used";
      return { ...answer, success: false, errorReason, transaction };
    }
    told.add(nonce);
    return { ...answer, success: true, transaction };
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, path] = (request.url ?? "").split(/\/+/);
    if (path === "supported") return send(response, { status: 200, body: supported });
    if (path !== "verify" && path !== "settle") return send(response, { status: 404, body: {} });
    facilitator.calls.push(path);
    const parsed = parsePaymentRequest(parseJson(await text(request))?.value);
    const refused = path === "verify" ? refusedVerify : refusedSettle;
    if (!parsed.ok) return send(response, { status: 200, body: refused });
    const { nonce } = parsed.value.payment.authorization;
    const honest = () => (path === "verify" ? verify(parsed.value) : settle(parsed.value));
    const answered = await facilitator.answer(path, honest);
    if (answered !== "cut") return send(response, answered);
    // What no one has heard is told again.
    told.delete(nonce);
    response.destroy();
  }

  const server = createServer((request, response) => {
    respond(request, response).catch((error: unknown) =>
      send(response, { status: 500, body: { error: String(error) } }),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port is free");
  const facilitator: ScriptedFacilitator = {
    url: `http://127.0.0.1:${address.port}`,
    calls: [],
    answer: honestly,
    repeatsSuccess: false,
    forget: () => told.clear(),
    reset() {
      facilitator.answer = honestly;
      facilitator.repeatsSuccess = false;
      facilitator.calls.length = 0;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return facilitator;
}

const kind = { scheme: "exact", extra: { ...network.domain } };
const supported = {
  kinds: [
    { ...kind, x402Version: 2, network: network.id },
    { ...kind, x402Version: 1, network: network.label },
  ],
  extensions: [],
  signers: {},
};

const refusedVerify = { isValid: false, invalidReason: "invalid_payload" };
const refusedSettle = {
  success: false,
  errorReason: "invalid_payload",
  transaction: "",
  network: network.id,
};

function refusalOf({ payment, requirements }: PaymentRequest): string | undefined {
  const { authorization, signature } = payment;
  if (!isSameAddress(authorization.to, requirements.payTo)) {
    return "invalid_exact_evm_payload_recipient_mismatch";
  }
  if (authorization.value !== requirements.amount) {
    return "invalid_exact_evm_payload_authorization_value_mismatch";
  }
  const isSigned = isSignedByPayer(payment.network, authorization, signature);
  return isSigned ? undefined : "invalid_exact_evm_payload_signature";
}

function send(response: ServerResponse, answer: Exclude<ScriptedResponse, "cut">): void {
  const { status, body } = answer;
  response.writeHead(status, { "content-type": "application/json" });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}
