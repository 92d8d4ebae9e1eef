/** The tool `fetch_paid`: a repeat, by its id or while its payment is open, is not paid again. */
import { defined, type JsonObject } from "@farthing/protocol";
import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod/v4";
import { openStates, type Ledger } from "../ledger/ledger.ts";
import { OpenCall, type OpenCalls } from "./calls.ts";
import { requestOf, requestShape, type RequestInput } from "./request-input.ts";
import { paymentFields, refuse, refuseError, toolResult, unknownOutcome } from "./tool-result.ts";
import { BodyShelf, keepBody, showBody, type KeptBody } from "./untrusted.ts";
import { PaymentError, type LimitToRaise } from "../payment-error.ts";
import type { PaidResponse } from "../payment-summary.ts";
import { quoteText } from "../offer/read-challenge.ts";
import type { Quote } from "../offer/quote.ts";
import { readReplayable } from "../replayable-request.ts";
import { randomHex, systemRuntime } from "../runtime.ts";
import type { PayingFetch } from "../wrap-fetch.ts";

export interface FetchPaidTools {
  readonly pay: PayingFetch;
  readonly ledger: Ledger;
  readonly calls: OpenCalls;
  readonly allowsLocal: boolean;
  /** A command with which the owner can pay; undefined when there is none. */
  readonly commandFor: (quote: Quote, request: RequestInput) => string | undefined;
  readonly raisingCommand: (raise: LimitToRaise) => string | undefined;
}

const shape = {
  ...requestShape,
  maxAmount: z
    .string()
    .regex(/^\d{1,12}(\.\d{1,6})?$/)
    .optional()
    .describe('Most to pay for this call, in USDC, such as "0.02". It only lowers the limits.'),
  requestId: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,128}$/)
    .optional()
    .describe("Of an earlier call. The same request with it is never paid twice."),
  offset: z.number().int().min(0).optional().describe("With requestId: where to read on."),
};

const description =
  "Requests a URL; when it answers 402, pays in USDC on XDC within the owner's limits and requests it again. When payment_state is in_flight, call again with the same arguments and the requestId of the answer: the same payment is sent, never a second one.";

interface Shown {
  /** An id is valid for its own request alone. */
  readonly fingerprint: string;
  readonly words: JsonObject;
  readonly body: KeptBody;
  /** A seller has the response to a call over a channel no more, so a repeat gets it from here. */
  readonly isOverChannel: boolean;
}

export function addFetchPaid(server: McpServer, tools: FetchPaidTools): void {
  const shelf = new BodyShelf<Shown>();
  const annotations = { readOnlyHint: false, destructiveHint: true, openWorldHint: true };
  server.registerTool(
    "fetch_paid",
    { description, inputSchema: shape, annotations },
    async ({ maxAmount, requestId: asked, offset = 0, ...input }, { signal }) => {
      const call = new OpenCall(signal);
      let requestId = asked ?? `req_${randomHex(systemRuntime, 16)}`;
      try {
        const [url, init] = requestOf(input, tools.allowsLocal, call.signal);
        const { fingerprint } = await readReplayable(url, init, "");
        const kept = asked === undefined ? undefined : shelf.find(asked);
        const isHere = kept !== undefined && (offset > 0 || kept.isOverChannel);
        if (isHere && kept.fingerprint === fingerprint) return show(kept, offset);
        if (asked === undefined) {
          requestId = (await openPaymentFor(tools.ledger, fingerprint)) ?? requestId;
        }
        const payment = { requestId, ...defined({ maxAmount }) };
        const response = await tools.calls.run(requestId, call, () =>
          tools.pay(url, { ...init, payment }),
        );
        const shown = await read(response, fingerprint);
        if ("isError" in shown) return shown;
        shelf.put(requestId, shown);
        return show(shown, offset);
      } catch (error) {
        if (error instanceof PaymentError) {
          const more = raisingFields(tools, error) ?? approvalFields(tools, call, input, error);
          return refuseError(error, more);
        }
        return refuseError(error, call.isSigned ? unknownOutcome(requestId) : {});
      } finally {
        call.pause();
      }
    },
  );
}

/** Agents repeat requests; an open payment for the same one is reused. */
async function openPaymentFor(ledger: Ledger, fingerprint: string): Promise<string | undefined> {
  const open = await ledger.list(openStates);
  return open.find((record) => record.fingerprint === fingerprint)?.requestId;
}

/** When the content breaks off, the result still reports the payment. */
async function read(
  response: PaidResponse,
  fingerprint: string,
): Promise<Shown | (CallToolResult & { isError: true })> {
  const { status, headers, payment } = response;
  const location = headers.get("Location");
  const words = {
    status,
    ...paymentFields(payment),
    ...(location !== null && { untrustedLocation: quoteText(location) }),
  };
  const isOverChannel = "channelId" in payment;
  try {
    return { fingerprint, words, isOverChannel, body: await keepBody(response) };
  } catch {
    const message = isOverChannel
      ? "The content was cut off. It was charged over a channel; calling again is another call."
      : "The content was cut off. Call again with the requestId: it costs nothing more.";
    return { ...refuse({ error: "content_cut_off", message, ...words }), isError: true };
  }
}

function show({ words, body }: Shown, offset: number): CallToolResult {
  return toolResult({ ...words, untrustedBody: showBody(body, offset) });
}

/** How the payment becomes possible where a limit has refused it. */
function raisingFields(
  { raisingCommand }: FetchPaidTools,
  { problem: { raise_limit: raise } }: PaymentError,
): JsonObject | undefined {
  if (raise === undefined) return undefined;
  if (raise.limit === "maxAmount") return { callAgainWith: { maxAmount: raise.to } };
  const command = raisingCommand(raise);
  if (command === undefined) return undefined;
  const askOwner =
    "Only the owner raises a limit. Show the owner this command; the server reads the limits when it starts, so the host has to start it again afterwards.";
  return { askOwner, command };
}

/** What the agent can do when the owner could not be asked. */
function approvalFields(
  { commandFor }: FetchPaidTools,
  { approval }: OpenCall,
  input: RequestInput,
  { code }: PaymentError,
): JsonObject {
  if (code !== "approval_required" || approval === undefined) return {};
  const { quote, answer } = approval;
  if (answer === "declined") return { message: "The owner said no to this payment." };
  const command = commandFor(quote, input);
  if (command === undefined) return {};
  const askOwner = "Show the owner this command; after it has run, call again with the requestId.";
  return { askOwner, command };
}
