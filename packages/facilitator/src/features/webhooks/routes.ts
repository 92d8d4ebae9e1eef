/** The webhooks of an account and their deliveries. */
import { webhookEvents } from "@farthing/protocol";
import type { FastifyRequest } from "fastify";
import { Type } from "typebox";
import { endpointsMax, type Webhooks } from "./service.ts";
import { timeText } from "@farthing/engine/base";
import { type WebhookDelivery, type WebhookEndpoint } from "./model.ts";
import { found, HttpProblem } from "../../http/messages/responses.ts";
import { findUrlProblem, type Reach } from "../../http/outbound/url-rules.ts";
import {
  Cursor,
  emptyResponse,
  exactly,
  Limit,
  nullable,
  oneOf,
  pageOf,
  TimeText,
  changeProblems,
  readProblems,
} from "../../http/messages/schemas.ts";
import type { TypedServer } from "../../http/messages/type-provider.ts";
import type { StepUp } from "../sign-in/step-up.ts";
import { readLimit, timeCursor } from "../../http/messages/cursor.ts";
import { sessionOf } from "../../http/access/session.ts";
import { demandStepUp, SignAnswerBody } from "../sign-in/guard.ts";
import { webhookSecret } from "./step-up.ts";

const endpointRow = {
  id: Type.String(),
  url: Type.String({ format: "uri" }),
  events: Type.Array(oneOf(webhookEvents)),
  createdAt: TimeText,
  disabledAt: nullable(
    Type.String({
      format: "date-time",
      description: "Since when nothing is sent; `enable` has it go on",
    }),
  ),
  disabledBy: nullable(
    oneOf(["owner", "service"], "`service`: nothing had arrived there for a day"),
  ),
};

export const EndpointResponse = exactly(endpointRow);
export const NewEndpointResponse = exactly({
  ...endpointRow,
  secret: Type.String({ description: "What messages are signed with; shown only here" }),
});

export const DeliveryResponse = exactly({
  id: Type.String({ description: "`webhook-id` of every try" }),
  type: Type.String(),
  state: oneOf(["pending", "delivered", "failed"], "`failed`: given up after five tries"),
  attempts: Type.Integer(),
  nextAt: nullable(TimeText),
  lastStatus: nullable(Type.Integer()),
  lastError: nullable(Type.String()),
  body: Type.String({ description: "What is sent, byte for byte" }),
  createdAt: TimeText,
  deliveredAt: nullable(TimeText),
});

const EventList = Type.Array(oneOf(webhookEvents), {
  minItems: 1,
  maxItems: webhookEvents.length,
  uniqueItems: true,
});

const path = "/v1/account/webhooks";
const EndpointId = exactly({ id: Type.String({ pattern: "^whk_[0-9a-f]{24}$" }) });
const DeliveryId = Type.String({ pattern: "^evt_[0-9a-f]{32}$" });
const NoBody = exactly({});

export interface WebhookRouteDeps {
  readonly webhooks: Webhooks;
  /** The addresses that endpoints may have. */
  readonly reach: Reach;
  readonly stepUp: StepUp;
}

export function registerWebhooks(server: TypedServer, deps: WebhookRouteDeps): void {
  registerEndpoints(server, deps);
  registerChanging(server, deps);
  registerCreating(server, deps);
  registerDeliveries(server, deps);
}

function registerEndpoints(server: TypedServer, { webhooks }: WebhookRouteDeps): void {
  server.get(path, {
    config: { permission: "read" },
    schema: {
      operationId: "listWebhooks",
      tags: ["Webhooks"],
      summary: "List webhook endpoints",
      response: { 200: exactly({ webhooks: Type.Array(EndpointResponse) }), ...readProblems() },
    },
    handler: async (request) => {
      const list = await webhooks.list(sessionOf(request).account);
      return { webhooks: list.map(endpointResponse) };
    },
  });
  server.delete(`${path}/:id`, {
    config: { permission: "manage_webhooks" },
    schema: {
      operationId: "removeWebhook",
      tags: ["Webhooks"],
      summary: "Remove a webhook endpoint",
      params: EndpointId,
      response: {
        204: emptyResponse("Nothing is sent there any more"),
        ...changeProblems("not_found"),
      },
    },
    handler: async (request, reply) => {
      const { account } = sessionOf(request);
      found(await webhooks.remove(account, request.params.id), "endpoint");
      return reply.status(204).send(null);
    },
  });
}

function registerChanging(server: TypedServer, { webhooks }: WebhookRouteDeps): void {
  server.patch(`${path}/:id`, {
    config: { permission: "manage_webhooks" },
    schema: {
      operationId: "changeWebhook",
      tags: ["Webhooks"],
      summary: "Changes the events of an endpoint, or pauses it",
      description:
        "A paused endpoint gets no messages: those that wait are given up and can be sent again, and events that happen meanwhile are not kept.",
      params: EndpointId,
      body: Type.Object(
        {
          events: Type.Optional(EventList),
          paused: Type.Optional(Type.Boolean({ description: "`false` has it go on" })),
        },
        { additionalProperties: false, minProperties: 1 },
      ),
      response: { 200: EndpointResponse, ...changeProblems("not_found") },
    },
    handler: async (request) => {
      const { account } = sessionOf(request);
      const { events, paused: isPaused } = request.body;
      const endpoint = await webhooks.change(account, request.params.id, { events, isPaused });
      return endpointResponse(found(endpoint, "endpoint"));
    },
  });
  server.post(`${path}/:id/enable`, {
    config: { permission: "manage_webhooks" },
    schema: {
      operationId: "enableWebhook",
      tags: ["Webhooks"],
      summary: "Enable a webhook endpoint",
      params: EndpointId,
      body: NoBody,
      response: { 200: EndpointResponse, ...changeProblems("not_found") },
    },
    handler: async (request) => {
      const { account } = sessionOf(request);
      const endpoint = await webhooks.change(account, request.params.id, { isPaused: false });
      return endpointResponse(found(endpoint, "endpoint"));
    },
  });
}

function registerCreating(
  server: TypedServer,
  { webhooks, reach, stepUp: stepUps }: WebhookRouteDeps,
): void {
  server.post(path, {
    config: { permission: "manage_webhooks" },
    schema: {
      operationId: "createWebhook",
      tags: ["Webhooks"],
      summary: "Add a webhook endpoint",
      description:
        "Takes a step-up signature: `webhook_secret` with the `url`. HTTPS only, on a public address, port 443 or 8443; redirects are not followed.",
      body: exactly({
        ...webhookSecret.details,
        events: EventList,
        stepUp: SignAnswerBody,
      }),
      response: { 201: NewEndpointResponse, ...changeProblems("step_up_failed", "conflict") },
    },
    handler: async (request, reply) => {
      const session = sessionOf(request);
      const { url, events, stepUp } = request.body;
      const problem = findUrlProblem(url, reach);
      if (problem !== undefined) throw new HttpProblem("invalid_request", `url: ${problem}`);
      const step = { action: "webhook_secret", details: { url } } as const;
      await demandStepUp(stepUps, session, step, stepUp);
      const endpoint = await webhooks.create(session.account, { url, events });
      if (!endpoint) {
        throw new HttpProblem(
          "conflict",
          `The account has ${endpointsMax} endpoints, as many as may be; remove one first.`,
        );
      }
      return reply.status(201).send({ ...endpointResponse(endpoint), secret: endpoint.secret });
    },
  });
}

function registerDeliveries(server: TypedServer, { webhooks }: WebhookRouteDeps): void {
  type Asked = Pick<FastifyRequest, "session"> & { readonly params: { readonly id: string } };
  const find = async (request: Asked) =>
    found(await webhooks.find(sessionOf(request).account, request.params.id), "endpoint");
  server.post(`${path}/:id/test`, {
    config: { permission: "manage_webhooks" },
    schema: {
      operationId: "testWebhook",
      tags: ["Webhooks"],
      summary: "Send a test event",
      params: EndpointId,
      body: NoBody,
      response: {
        202: exactly({ id: Type.String({ description: "Of the delivery" }) }),
        ...changeProblems("not_found", "conflict"),
      },
    },
    handler: async (request, reply) => {
      const endpoint = await find(request);
      refusePaused(endpoint);
      return reply.status(202).send({ id: await webhooks.test(endpoint) });
    },
  });
  server.get(`${path}/:id/deliveries`, {
    config: { permission: "read" },
    schema: {
      operationId: "listDeliveries",
      tags: ["Webhooks"],
      summary: "List deliveries",
      params: EndpointId,
      querystring: exactly({ cursor: Cursor, limit: Limit }),
      response: { 200: pageOf("deliveries", DeliveryResponse), ...readProblems("not_found") },
    },
    handler: async (request) => {
      const endpoint = await find(request);
      const { cursor, limit } = request.query;
      const paging = { from: timeCursor.read(cursor), limit: readLimit(limit) };
      const { items, next } = await webhooks.deliveries(endpoint, paging);
      return { deliveries: items.map(deliveryResponse), next: timeCursor.write(next) };
    },
  });
  server.post(`${path}/:id/deliveries/:deliveryId/resend`, {
    config: { permission: "manage_webhooks" },
    schema: {
      operationId: "resendDelivery",
      tags: ["Webhooks"],
      summary: "Resend a delivery",
      params: exactly({ ...EndpointId.properties, deliveryId: DeliveryId }),
      body: NoBody,
      response: { 202: DeliveryResponse, ...changeProblems("not_found", "conflict") },
    },
    handler: async (request, reply) => {
      const endpoint = await find(request);
      refusePaused(endpoint);
      const delivery = await webhooks.resend(endpoint, request.params.deliveryId);
      return reply.status(202).send(deliveryResponse(found(delivery, "delivery")));
    },
  });
}

function refusePaused({ pausedAt }: WebhookEndpoint): void {
  if (pausedAt === null) return;
  throw new HttpProblem(
    "conflict",
    "Nothing is sent to this endpoint, because it is paused; enable it first.",
  );
}

function endpointResponse(endpoint: WebhookEndpoint) {
  const { id, url, events, createdAt, pausedAt, isPausedByOwner } = endpoint;
  const pausedBy: "owner" | "service" = isPausedByOwner ? "owner" : "service";
  return {
    id,
    url,
    events: webhookEvents.filter((event) => events.includes(event)),
    createdAt: timeText(createdAt) ?? "",
    disabledAt: timeText(pausedAt),
    disabledBy: pausedAt === null ? null : pausedBy,
  };
}

function deliveryResponse(delivery: WebhookDelivery) {
  const { id, type, state, attempts, lastStatus, lastError, body } = delivery;
  return {
    id,
    type,
    state,
    attempts,
    nextAt: state === "pending" ? timeText(delivery.nextAt) : null,
    lastStatus,
    lastError,
    body,
    createdAt: timeText(delivery.createdAt) ?? "",
    deliveredAt: timeText(delivery.deliveredAt),
  };
}
