/**
 * Who may use the account API: whoever has a session, from our own pages. Every route needs a
 * session unless it says that it is open; whatever changes something must come from our origin.
 */
import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { SignAnswer } from "./sign-requests.ts";
import type { Step, StepUp } from "./step-up.ts";
import type { Session, StepUpName } from "./model.ts";
import { noSession, sessionCookie } from "../../http/session.ts";
import { HttpProblem } from "../../http/answer.ts";
import type { Throttle } from "../../http/limits.ts";
import { exactly } from "../../http/schemas.ts";
import type { TypedServer } from "../../http/type-provider.ts";
import type { Sessions } from "./sessions.ts";
import type { Site } from "./site.ts";
import { takeBack, tokenOf } from "./cookies.ts";

/** Methods that change nothing. */
const readingMethods = new Set(["GET", "HEAD"]);

/** One text for whatever may be wrong with a signature that was asked for. */
const noStepUp =
  "The signature does not allow this, or not any more; ask for a new text with POST /v1/account/step-up and sign that.";

/** Longest texts that are looked at: an id of ours, and a contract wallet's signature in hex. */
const idCharsMax = 100;
const signatureCharsMax = 20_000;

/** The answer to a text that was to be signed; malformed ones count as wrong ones. */
export const SignAnswerBody = exactly({
  requestId: Type.String({ maxLength: idCharsMax, description: "As the text came with it" }),
  signature: Type.String({
    maxLength: signatureCharsMax,
    description: "Of the text, by `personal_sign`; `0x…`",
  }),
});

export interface GuardDeps {
  readonly sessions: Pick<Sessions, "find">;
  site(): Site;
}

/** Guards all routes of a server that are registered from here on. */
export function guardAccounts(server: TypedServer, deps: GuardDeps, throttle: Throttle): void {
  server.decorateRequest("session", null);
  server.addHook("onRequest", async (request, reply) => {
    reply.headers({ "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" });
    if (!readingMethods.has(request.method)) checkOrigin(request, deps.site().origin);
    const { isOpen = false, isUnlimited = false } = request.routeOptions.config;
    request.session = isOpen ? null : await findSession(request, reply, deps, throttle);
    if (!isUnlimited) await throttle(request, reply, request.session);
  });
}

/** Throws 401, and counts the attempt against the address it came from. */
async function findSession(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: GuardDeps,
  throttle: Throttle,
): Promise<Session> {
  const session = await deps.sessions.find(tokenOf(request, sessionCookie));
  if (session) return session;
  await throttle(request, reply, null);
  if (request.cookies[sessionCookie] !== undefined) takeBack(reply, sessionCookie);
  throw new HttpProblem("unauthorized", noSession);
}

/**
 * Browsers say from which page a request comes. `Origin` decides where it is there; a request
 * without both headers comes from no browser of today, and none of ours is without them.
 */
function checkOrigin({ headers }: FastifyRequest, origin: string): void {
  const isOurs =
    headers.origin === undefined
      ? headers["sec-fetch-site"] === "same-origin"
      : headers.origin === origin;
  if (isOurs) return;
  throw new HttpProblem(
    "foreign_origin",
    `Go on at ${origin}: requests that change something must come from there, by their header Origin. The operator sets the address with FARTHING_PUBLIC_URL.`,
  );
}

/** Lets an action pass whose details were signed; throws 403 otherwise. */
export async function demandStepUp<Name extends StepUpName>(
  stepUp: StepUp,
  session: Session,
  step: Step<Name>,
  answer: SignAnswer,
): Promise<void> {
  if (!(await stepUp.confirm(session, step, answer))) throw stepUpFailed();
}

/** What is said when a signature that was asked for is not there. */
export function stepUpFailed(): HttpProblem {
  return new HttpProblem("step_up_failed", noStepUp);
}
