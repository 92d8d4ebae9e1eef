/** The e-mail addresses of an account. */
import { emailEvents, networkOfAddress } from "@farthing/protocol";
import { timeText } from "@farthing/engine/base";
import { Type } from "typebox";
import { parseEmailAddress } from "../../http/messages/email-address.ts";
import type { Limit, MakeLimit } from "../../http/access/limits.ts";
import { found, HttpProblem } from "../../http/messages/responses.ts";
import {
  changeProblems,
  emptyResponse,
  exactly,
  nullable,
  oneOf,
  readProblems,
  TimeText,
} from "../../http/messages/schemas.ts";
import { sessionOf } from "../../http/access/session.ts";
import type { TypedServer } from "../../http/messages/type-provider.ts";
import { addressOf, type EmailRecipient } from "./model.ts";
import { addressesMax, type AddResult, type Emails } from "./service.ts";

const path = "/v1/account/emails";

export const EmailResponse = exactly({
  id: Type.String(),
  address: Type.String(),
  events: Type.Array(oneOf(emailEvents)),
  state: oneOf(
    ["unconfirmed", "active", "paused"],
    "`unconfirmed`: gets nothing until the link in the mail to it is used",
  ),
  pausedBy: nullable(oneOf(["owner", "service"], "`service`: no mail was accepted for a day")),
  createdAt: TimeText,
  confirmedAt: nullable(TimeText),
});

export const EmailsResponse = exactly({
  enabled: Type.Boolean({ description: "Whether this service sends e-mail" }),
  emails: Type.Array(EmailResponse),
});

const EventList = Type.Array(oneOf(emailEvents), {
  minItems: 1,
  maxItems: emailEvents.length,
  uniqueItems: true,
});

/** Longer texts are no addresses. */
const AddressText = Type.String({ maxLength: 320, examples: ["anna@shop.example"] });

const EmailId = exactly({ id: Type.String({ pattern: "^eml_[0-9a-f]{24}$" }) });

/** Each mails a link to an address that the caller chose. */
const linksOfCaller = { name: "email-links", requestsMax: 10, windowSeconds: 60 * 60 };

export interface EmailRouteDeps {
  readonly emails: Emails;
  /** False without a mail server. */
  readonly isEnabled: boolean;
}

export function registerEmails(
  server: TypedServer,
  deps: EmailRouteDeps,
  makeLimit: MakeLimit,
): void {
  const limitLinks = makeLimit(linksOfCaller);
  registerReading(server, deps);
  registerAdding(server, deps, limitLinks);
  registerChanging(server, deps);
}

function registerReading(server: TypedServer, { emails, isEnabled }: EmailRouteDeps): void {
  server.get(path, {
    config: { permission: "read" },
    schema: {
      operationId: "listEmails",
      tags: ["E-mail"],
      summary: "List e-mail addresses",
      response: { 200: EmailsResponse, ...readProblems() },
    },
    handler: async (request) => {
      const list = await emails.list(sessionOf(request).account);
      return { enabled: isEnabled, emails: list.map(emailResponse) };
    },
  });
}

function registerAdding(server: TypedServer, deps: EmailRouteDeps, limitLinks: Limit): void {
  const { emails } = deps;
  server.post(path, {
    config: { permission: "manage_emails" },
    schema: {
      operationId: "addEmail",
      tags: ["E-mail"],
      summary: "Add an e-mail address",
      description:
        "Sends a link to the address, which gets notices once the link is used. At most three links a day go to a mailbox, and at most one mail in five minutes to an address.",
      body: exactly({ address: AddressText, events: EventList }),
      response: {
        201: EmailResponse,
        ...changeProblems("conflict", "service_unavailable"),
      },
    },
    handler: async (request, reply) => {
      demandMail(deps);
      const { account } = sessionOf(request);
      const { events } = request.body;
      const address = parseEmailAddress(request.body.address);
      if (address === undefined) throw badAddress();
      await limitLinks(request, reply, networkOfAddress(request.ip));
      const result = await emails.add(account, { address, events });
      if (result.kind !== "added") throw notAdded(result);
      return reply.status(201).send(emailResponse(result.recipient));
    },
  });
  server.post(`${path}/:id/link`, {
    config: { permission: "manage_emails" },
    schema: {
      operationId: "sendEmailLink",
      tags: ["E-mail"],
      summary: "Send the confirmation link again",
      description: "Earlier links to the address end with it.",
      params: EmailId,
      body: exactly({}),
      response: {
        204: emptyResponse("The mail server accepted the mail"),
        ...changeProblems("not_found", "conflict", "service_unavailable"),
      },
    },
    handler: async (request, reply) => {
      demandMail(deps);
      const recipient = await emails.find(sessionOf(request).account, request.params.id);
      const { endpoint, confirmedAt } = found(recipient, "e-mail address");
      if (confirmedAt !== null) throw new HttpProblem("conflict", "The address is confirmed.");
      await limitLinks(request, reply, networkOfAddress(request.ip));
      const result = await emails.sendLink(endpoint);
      if (result.kind !== "sent") throw notAdded(result);
      return reply.status(204).send(null);
    },
  });
}

function registerChanging(server: TypedServer, { emails }: EmailRouteDeps): void {
  server.patch(`${path}/:id`, {
    config: { permission: "manage_emails" },
    schema: {
      operationId: "changeEmail",
      tags: ["E-mail"],
      summary: "Changes the events of an e-mail address, or pauses it",
      description: "Events that happen while it is paused are not kept.",
      params: EmailId,
      body: Type.Object(
        {
          events: Type.Optional(EventList),
          paused: Type.Optional(Type.Boolean({ description: "`false` has it go on" })),
        },
        { additionalProperties: false, minProperties: 1 },
      ),
      response: { 200: EmailResponse, ...changeProblems("not_found", "conflict") },
    },
    handler: async (request) => {
      const { account } = sessionOf(request);
      const { events, paused: isPaused } = request.body;
      const changed = await emails.change(account, request.params.id, { events, isPaused });
      if (changed === "unconfirmed") {
        throw new HttpProblem(
          "conflict",
          "The address is not confirmed; open the link that was sent to it, or send it again.",
        );
      }
      return emailResponse(found(changed, "e-mail address"));
    },
  });
  server.delete(`${path}/:id`, {
    config: { permission: "manage_emails" },
    schema: {
      operationId: "removeEmail",
      tags: ["E-mail"],
      summary: "Remove an e-mail address",
      params: EmailId,
      response: {
        204: emptyResponse("Nothing is sent there any more, and the address is erased"),
        ...changeProblems("not_found"),
      },
    },
    handler: async (request, reply) => {
      const { account } = sessionOf(request);
      found(await emails.remove(account, request.params.id), "e-mail address");
      return reply.status(204).send(null);
    },
  });
}

function demandMail({ isEnabled }: EmailRouteDeps): void {
  if (isEnabled) return;
  throw new HttpProblem(
    "conflict",
    "This service sends no e-mail; use a webhook, or ask the operator, who sets FARTHING_SMTP_URL.",
  );
}

function badAddress(): HttpProblem {
  return new HttpProblem(
    "invalid_request",
    "address: write one e-mail address such as anna@shop.example, without a name or quotes.",
  );
}

function notAdded(result: Exclude<AddResult, { kind: "added" }>): HttpProblem {
  switch (result.kind) {
    case "known":
      return new HttpProblem("conflict", "The account has this address already.");
    case "too_many":
      return new HttpProblem(
        "conflict",
        `The account has ${addressesMax} addresses, as many as may be; remove one first.`,
      );
    case "account_limit":
      return new HttpProblem(
        "rate_limited",
        "The account has sent its confirmation mails of today (UTC); try again tomorrow.",
        result.retryAfterSeconds,
      );
    case "mailbox_limit":
      return new HttpProblem(
        "rate_limited",
        "This mailbox has been sent its confirmation mails of today (UTC); look for them there, or try again tomorrow.",
        result.retryAfterSeconds,
      );
    case "not_sent":
      return new HttpProblem(
        "service_unavailable",
        `The confirmation mail could not be sent. ${result.problem} Check the address and try again.`,
      );
    default:
      return result satisfies never;
  }
}

function emailResponse({ endpoint, confirmedAt }: EmailRecipient) {
  const { id, events, createdAt, pausedAt, isPausedByOwner } = endpoint;
  const isPaused = confirmedAt !== null && pausedAt !== null;
  const pausedBy: "owner" | "service" = isPausedByOwner ? "owner" : "service";
  const settled: "paused" | "active" = isPaused ? "paused" : "active";
  const state: "unconfirmed" | "paused" | "active" = confirmedAt === null ? "unconfirmed" : settled;
  return {
    id,
    address: addressOf(endpoint),
    events: [...events],
    state,
    pausedBy: isPaused ? pausedBy : null,
    createdAt: timeText(createdAt) ?? "",
    confirmedAt: timeText(confirmedAt),
  };
}
