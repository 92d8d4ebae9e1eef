/** GET /v1/key describes the API key of the request. Integrations test their key with it. */
import type { Address } from "@farthing/protocol";
import { Type } from "typebox";
import type { ApiKey } from "./model.ts";
import { admission } from "../../http/access/authenticate.ts";
import { HttpProblem } from "../../http/messages/responses.ts";
import type { Throttle } from "../../http/access/limits.ts";
import {
  AddressText,
  exactly,
  KeyModeText,
  LabelText,
  oneOf,
  readProblems,
} from "../../http/messages/schemas.ts";
import type { TypedServer } from "../../http/messages/type-provider.ts";
import type { Accounts } from "../accounts/service.ts";

export interface CurrentKeyDeps {
  readonly accounts: Accounts;
  authenticate(text: string): Promise<ApiKey | undefined>;
  findCredits(account: Address): Promise<{ readonly available: number }>;
}

export function registerCurrentKey(
  server: TypedServer,
  deps: CurrentKeyDeps,
  throttle: Throttle,
): void {
  server.get("/v1/key", {
    onRequest: admission(deps, { auth: "api-key" }, throttle),
    schema: {
      operationId: "readOwnKey",
      tags: ["API keys"],
      summary: "Check an API key",
      description:
        "Free. Ask it once after setting a key up: `/settle` will not be the first to fail.",
      security: [{ apiKey: [] }],
      response: {
        200: exactly({
          account: AddressText,
          mode: KeyModeText,
          label: LabelText,
          credits: Type.Integer({ description: "May be spent" }),
          plan: oneOf(["active", "inactive"]),
        }),
        ...readProblems(),
      },
    },
    handler: async (request, reply) => {
      const key = request.apiKey;
      if (!key) throw new HttpProblem("unauthorized", "Send an API key.");
      const { account, mode, label } = key;
      const [{ plan }, { available }] = await Promise.all([
        deps.accounts.find(account),
        deps.findCredits(account),
      ]);
      reply.header("Cache-Control", "no-store");
      return { account, mode, label, credits: available, plan };
    },
  });
}
