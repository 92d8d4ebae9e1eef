/** GET /v1/account/requests: the calls that were made with the account's API keys. */
import { timeText, type Clock } from "@farthing/engine/base";
import { Type } from "typebox";
import { badCursor, readLimit } from "../../http/messages/cursor.ts";
import { found } from "../../http/messages/responses.ts";
import {
  AddressText,
  AmountText,
  Cursor,
  exactly,
  KeyModeText,
  LabelText,
  Limit,
  nullable,
  oneOf,
  pageOf,
  readProblems,
  TimeText,
} from "../../http/messages/schemas.ts";
import { sessionOf } from "../../http/access/session.ts";
import type { TypedServer } from "../../http/messages/type-provider.ts";
import { chartHours, hourMs, keptCallsMax, keptDays, statusClasses } from "./model.ts";
import type { CallStore, ReadCall } from "./store.ts";

const RequestId = Type.String({
  pattern: "^req_[0-9a-f]{32}$",
  description: "`X-Request-Id` of the response",
});

export const CallResponse = exactly({
  requestId: RequestId,
  createdAt: TimeText,
  method: Type.String(),
  path: Type.String({ description: "Without its query" }),
  status: Type.Integer({ description: "Of HTTP" }),
  durationMs: Type.Integer(),
  code: nullable(Type.String({ description: "Of a refusal or an error" })),
  message: nullable(Type.String({ description: "What happened, for people" })),
  result: nullable(Type.String({ description: "`valid`, `invalid`, or the settlement’s state" })),
  settlementId: nullable(Type.String()),
  transaction: nullable(Type.String({ pattern: "^0x[0-9a-fA-F]{64}$" })),
  key: exactly({
    id: Type.String(),
    label: nullable(LabelText),
    mode: KeyModeText,
  }),
  asked: Type.Object(
    {
      network: Type.Optional(Type.String()),
      amount: Type.Optional(AmountText),
      payer: Type.Optional(AddressText),
      payTo: Type.Optional(AddressText),
      settlementId: Type.Optional(Type.String()),
    },
    { additionalProperties: false, description: "The terms of the payment that was asked about" },
  ),
});

export const CallHoursResponse = exactly({
  hours: Type.Array(
    exactly({
      from: TimeText,
      answered: Type.Integer(),
      refused: Type.Integer({ description: "With a code, or with a status of 4xx" }),
      failed: Type.Integer({ description: "With a status of 5xx" }),
    }),
    { description: "Oldest first; the last one is not over" },
  ),
});

const path = "/v1/account/requests";

export interface RequestLogRouteDeps {
  readonly store: Pick<CallStore, "listCalls" | "findCall" | "countCalls">;
  readonly clock: Clock;
}

export function registerRequestLog(server: TypedServer, deps: RequestLogRouteDeps): void {
  const { store } = deps;
  registerCallHours(server, deps);
  server.get(path, {
    config: { permission: "read" },
    schema: {
      operationId: "listRequests",
      tags: ["Request log"],
      summary: "List calls made with API keys",
      description: `The newest first. The ${keptCallsMax} newest calls of the last ${keptDays} days are kept, without headers, signatures and keys; a call is shown about a second after its response. Calls with an unknown or ended key belong to no account.`,
      querystring: exactly({
        status: Type.Optional(
          oneOf(statusClasses, "`refused`: with a code, whatever the status of HTTP"),
        ),
        path: Type.Optional(
          Type.String({ minLength: 1, maxLength: 100, description: "A part of the path" }),
        ),
        key: Type.Optional(Type.String({ pattern: "^[0-9A-Za-z]{1,32}$", description: "Its id" })),
        mode: Type.Optional(KeyModeText),
        cursor: Cursor,
        limit: Limit,
      }),
      response: { 200: pageOf("requests", CallResponse), ...readProblems() },
    },
    handler: async (request) => {
      const { cursor, limit, key: keyId, ...filter } = request.query;
      const { items, next } = await store.listCalls(
        sessionOf(request).account,
        { ...filter, keyId },
        { from: readOrdinal(cursor), limit: readLimit(limit) },
      );
      return { requests: items.map(callResponse), next: next === null ? null : `${next}` };
    },
  });
  server.get(`${path}/:id`, {
    config: { permission: "read" },
    schema: {
      operationId: "readRequest",
      tags: ["Request log"],
      summary: "Read one call",
      params: exactly({ id: RequestId }),
      response: { 200: CallResponse, ...readProblems("not_found") },
    },
    handler: async (request) => {
      const { account } = sessionOf(request);
      return callResponse(found(await store.findCall(account, request.params.id), "request"));
    },
  });
}

function registerCallHours(server: TypedServer, { store, clock }: RequestLogRouteDeps): void {
  server.get(`${path}/hours`, {
    config: { permission: "read" },
    schema: {
      operationId: "countRequests",
      tags: ["Request log"],
      summary: "Count the calls of the last 24 hours",
      description: `By hour and by how they ended, from the ${keptCallsMax} newest calls.`,
      querystring: exactly({ mode: KeyModeText }),
      response: { 200: CallHoursResponse, ...readProblems() },
    },
    handler: async (request) => {
      const { account } = sessionOf(request);
      const { mode } = request.query;
      const first = Math.floor(clock.nowMs() / hourMs) - chartHours + 1;
      const counted = await store.countCalls(account, { mode, since: first * hourMs });
      const byHour = new Map(counted.map((one) => [one.hour, one]));
      const none = { answered: 0, refused: 0, failed: 0 };
      const hours = Array.from({ length: chartHours }, (_, index) => {
        const { answered, refused, failed } = byHour.get(first + index) ?? none;
        return { from: timeText((first + index) * hourMs) ?? "", answered, refused, failed };
      });
      return { hours };
    },
  });
}

function readOrdinal(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  if (/^[1-9][0-9]{0,14}$/.test(cursor)) return Number(cursor);
  throw badCursor();
}

function callResponse(call: ReadCall) {
  const { requestId, createdAt, method, path: of, status, durationMs, asked } = call;
  const { code, message, result, settlementId, transaction } = call;
  return {
    requestId,
    createdAt: timeText(createdAt) ?? "",
    method,
    path: of,
    status,
    durationMs,
    code,
    message,
    result,
    settlementId,
    transaction,
    key: { id: call.keyId, label: call.keyLabel, mode: call.mode },
    asked,
  };
}
