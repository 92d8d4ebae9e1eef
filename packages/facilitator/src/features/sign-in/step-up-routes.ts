/** POST /v1/account/step-up creates the text that allows one action, for the wallet to sign. */
import { changeProblems } from "../../http/messages/schemas.ts";
import type { TypedServer } from "../../http/messages/type-provider.ts";
import type { StepUp, StepUpAction } from "./step-up.ts";
import { sessionOf } from "../../http/access/session.ts";
import { signRequestResponse, SignRequestResponse } from "./routes.ts";
import { readStep, stepBodyOf } from "./step-up-schemas.ts";

export function registerStepUp(
  server: TypedServer,
  stepUp: StepUp,
  actions: readonly StepUpAction[],
): void {
  server.post("/v1/account/step-up", {
    config: { permission: "own_access" },
    schema: {
      operationId: "askForStepUp",
      tags: ["Sign-in"],
      summary: "Request a step-up text",
      description:
        "For what the cookie alone does not allow. The wallet that is signed in signs the text, and the signature goes with the action as `stepUp`. It allows that action with these details once, within ten minutes.",
      body: stepBodyOf(actions),
      response: { 200: SignRequestResponse, ...changeProblems() },
    },
    handler: async (request) => {
      const asked = await stepUp.ask(sessionOf(request), readStep(actions, request.body));
      return signRequestResponse(asked);
    },
  });
}
