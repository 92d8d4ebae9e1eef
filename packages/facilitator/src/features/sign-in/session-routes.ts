/** The signed-in browsers of an account: list them and sign them out. */
import { Type } from "typebox";
import { timeText } from "@farthing/engine/base";
import { found } from "../../http/messages/responses.ts";
import {
  AddressText,
  emptyResponse,
  exactly,
  TimeText,
  changeProblems,
  readProblems,
} from "../../http/messages/schemas.ts";
import type { TypedServer } from "../../http/messages/type-provider.ts";
import type { Sessions } from "./sessions.ts";
import type { StepUp } from "./step-up.ts";
import { sessionCookie, sessionOf } from "../../http/access/session.ts";
import { clearCookie } from "./cookies.ts";
import { demandStepUp, SignAnswerBody } from "./guard.ts";

export const SessionResponse = exactly({
  id: Type.String(),
  wallet: AddressText,
  createdAt: TimeText,
  lastSeenAt: TimeText,
  expiresAt: TimeText,
  isCurrent: Type.Boolean({ description: "The one that asks" }),
});

interface SessionRouteDeps {
  readonly sessions: Sessions;
  readonly stepUp: StepUp;
}

export function registerSessions(server: TypedServer, deps: SessionRouteDeps): void {
  const { sessions } = deps;
  server.get("/v1/account/sessions", {
    config: { permission: "read" },
    schema: {
      operationId: "listSessions",
      tags: ["Account"],
      summary: "List sessions",
      response: { 200: exactly({ sessions: Type.Array(SessionResponse) }), ...readProblems() },
    },
    handler: async (request) => {
      const { account, id: current } = sessionOf(request);
      const running = await sessions.list(account);
      return {
        sessions: running.map(({ id, wallet, createdAt, lastSeenAt, expiresAt }) => ({
          id,
          wallet,
          createdAt: timeText(createdAt) ?? "",
          lastSeenAt: timeText(lastSeenAt) ?? "",
          expiresAt: timeText(expiresAt) ?? "",
          isCurrent: id === current,
        })),
      };
    },
  });
  registerEnding(server, deps);
}

function registerEnding(server: TypedServer, { sessions, stepUp }: SessionRouteDeps): void {
  server.delete("/v1/account/sessions/:id", {
    config: { permission: "own_access", isUnlimited: true },
    schema: {
      operationId: "endSession",
      tags: ["Account"],
      summary: "End a session",
      description: "Members other than owners end sessions of their own wallet only.",
      params: exactly({ id: Type.String() }),
      response: { 204: emptyResponse("It is signed out"), ...changeProblems("not_found") },
    },
    handler: async (request, reply) => {
      const session = sessionOf(request);
      const { id } = request.params;
      found(await sessions.revoke(session, id), "session");
      if (id === session.id) clearCookie(reply, sessionCookie);
      return reply.status(204).send(null);
    },
  });
  server.delete("/v1/account/sessions", {
    config: { permission: "own_access" },
    schema: {
      operationId: "endOtherSessions",
      tags: ["Account"],
      summary: "End all other sessions",
      description:
        "Takes a step-up signature: `revoke_sessions`, without details. Members other than owners end those of their own wallet only.",
      body: exactly({ stepUp: SignAnswerBody }),
      response: {
        204: emptyResponse("Only this browser is signed in"),
        ...changeProblems("step_up_failed"),
      },
    },
    handler: async (request, reply) => {
      const session = sessionOf(request);
      const step = { action: "revoke_sessions", details: {} } as const;
      await demandStepUp(stepUp, session, step, request.body.stepUp);
      await sessions.revokeOthers(session);
      return reply.status(204).send(null);
    },
  });
}
