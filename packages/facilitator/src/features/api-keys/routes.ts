/** The API keys of an account. A key's text is shown once. */
import { Type } from "typebox";
import type { NewApiKey } from "./key-text.ts";
import { rotatingKeysMax, workingKeysMax, type KeyRing } from "./service.ts";
import { timeText } from "@farthing/engine/base";
import type { ApiKey } from "./model.ts";
import { found, HttpProblem } from "../../http/messages/responses.ts";
import {
  AddressText,
  emptyResponse,
  exactly,
  KeyModeText,
  LabelText,
  nullable,
  oneOf,
  TimeText,
  KeyId,
  changeProblems,
  problems,
  readProblems,
} from "../../http/messages/schemas.ts";
import type { TypedServer } from "../../http/messages/type-provider.ts";
import type { StepUp } from "../sign-in/step-up.ts";
import { sessionOf } from "../../http/access/session.ts";
import { demandStepUp, SignAnswerBody } from "../sign-in/guard.ts";
import { createKey, rotateKey } from "./step-up.ts";

const keyRow = {
  id: KeyId,
  label: LabelText,
  mode: KeyModeText,
  prefix: Type.String({ description: "How the key begins, its id included" }),
  lastFour: Type.String(),
  createdAt: TimeText,
  createdBy: nullable(AddressText),
  lastUsedAt: nullable(TimeText),
  expiresAt: nullable(TimeText),
  status: oneOf(
    ["active", "expiring", "expired", "revoked"],
    "`expiring`: within seven days, also a replaced one",
  ),
};

export const KeyResponse = exactly(keyRow);
export const NewKeyResponse = exactly(
  {
    key: Type.String({ description: "The key. It is kept nowhere and shown only here" }),
    ...keyRow,
  },
  "The key, once",
);

export interface KeyRouteDeps {
  readonly keys: KeyRing;
  readonly stepUp: StepUp;
}

export function registerKeys(server: TypedServer, deps: KeyRouteDeps): void {
  const { keys } = deps;
  server.get("/v1/account/keys", {
    config: { permission: "read" },
    schema: {
      operationId: "listKeys",
      tags: ["API keys"],
      summary: "List API keys",
      response: { 200: exactly({ keys: Type.Array(KeyResponse) }), ...readProblems() },
    },
    handler: async (request) => {
      const list = await keys.list(sessionOf(request).account);
      return { keys: list.map((key) => keyResponse(keys, key)) };
    },
  });
  server.delete("/v1/account/keys/:id", {
    config: { permission: "manage_keys", isUnlimited: true },
    schema: {
      operationId: "revokeKey",
      tags: ["API keys"],
      summary: "Revoke an API key",
      description: "Takes no further signature and is never refused for being asked too often.",
      params: exactly({ id: KeyId }),
      response: { 204: emptyResponse("It does not work any more"), ...changeProblems("not_found") },
    },
    handler: async (request, reply) => {
      found(await keys.revoke(sessionOf(request).account, request.params.id), "key");
      return reply.status(204).send(null);
    },
  });
  registerMinting(server, deps);
}

function registerMinting(server: TypedServer, { keys, stepUp: stepUps }: KeyRouteDeps): void {
  const minting = changeProblems("step_up_failed", "conflict");
  server.post("/v1/account/keys", {
    config: { permission: "manage_keys" },
    schema: {
      operationId: "createKey",
      tags: ["API keys"],
      summary: "Create an API key",
      description: "Takes a step-up signature: `create_key` with the other members of the body.",
      body: exactly({ ...createKey.details, stepUp: SignAnswerBody }),
      response: { 201: NewKeyResponse, ...minting },
    },
    handler: async (request, reply) => {
      const session = sessionOf(request);
      const { stepUp, ...details } = request.body;
      await demandStepUp(stepUps, session, { action: "create_key", details }, stepUp);
      const made = await keys.mint(session, details);
      if (!made) {
        throw new HttpProblem(
          "conflict",
          `${workingKeysMax} keys of the account work, as many as may; revoke one first.`,
        );
      }
      return reply.status(201).send(newKeyResponse(keys, made));
    },
  });
  server.post("/v1/account/keys/:id/rotate", {
    config: { permission: "manage_keys" },
    schema: {
      operationId: "rotateKey",
      tags: ["API keys"],
      summary: "Rotate an API key",
      description: "Takes a step-up signature: `rotate_key` with the key's `id` and `overlap`.",
      params: exactly({ id: KeyId }),
      body: exactly({ overlap: rotateKey.details.overlap, stepUp: SignAnswerBody }),
      response: { 201: NewKeyResponse, ...minting, ...problems("not_found") },
    },
    handler: async (request, reply) => {
      const session = sessionOf(request);
      const { stepUp, overlap } = request.body;
      const { id } = request.params;
      const step = { action: "rotate_key", details: { id, overlap } } as const;
      await demandStepUp(stepUps, session, step, stepUp);
      const made = found(await keys.rotate(session, id, overlap), "key");
      if (made === "ended") {
        throw new HttpProblem(
          "conflict",
          "This key does not work any more, or was replaced already; create a new one.",
        );
      }
      if (made === "too_many") {
        throw new HttpProblem(
          "conflict",
          `${rotatingKeysMax} keys of the account work, as many as may; revoke some that were replaced, or rotate without an overlap.`,
        );
      }
      return reply.status(201).send(newKeyResponse(keys, made));
    },
  });
}

function keyResponse(keys: KeyRing, key: ApiKey) {
  const { id, label, mode, lastFour } = key;
  return {
    id,
    label,
    mode,
    prefix: `fk_${mode}_${id}`,
    lastFour,
    createdAt: timeText(key.createdAt) ?? "",
    createdBy: key.createdBy,
    lastUsedAt: timeText(key.lastUsedAt),
    expiresAt: timeText(key.expiresAt),
    status: keys.statusOf(key),
  };
}

function newKeyResponse(keys: KeyRing, { text, key }: NewApiKey) {
  return { key: text, ...keyResponse(keys, key) };
}
