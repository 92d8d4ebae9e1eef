/** Guards the account API: sessions for routes that are not open, and our origin for changes. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { assert } from "@farthing/engine/base";
import { Type } from "typebox";
import type { SignAnswer } from "./sign-requests.ts";
import type { Step, StepUp } from "./step-up.ts";
import type { MemberSession, Session, StepUpName } from "./model.ts";
import { demandPermission, noSession, sessionCookie } from "../../http/access/session.ts";
import { admission, type Authentication } from "../../http/access/authenticate.ts";
import { HttpProblem } from "../../http/messages/responses.ts";
import type { Throttle } from "../../http/access/limits.ts";
import { exactly } from "../../http/messages/schemas.ts";
import type { TypedServer } from "../../http/messages/type-provider.ts";
import type { Sessions } from "./sessions.ts";
import type { Site } from "../../http/site/site.ts";
import { clearCookie, tokenOf } from "./cookies.ts";

const readingMethods = new Set(["GET", "HEAD"]);

/** One message for every failure of a requested signature. */
const noStepUp =
  "The signature does not allow this, or not any more; ask for a new text with POST /v1/account/step-up and sign that.";

/** Bounds of an id, and of a contract wallet's signature in hex. */
const idCharsMax = 100;
const signatureCharsMax = 20_000;

/** The response to a sign request; malformed values count as wrong ones. */
export const SignAnswerBody = exactly({
  requestId: Type.String({ maxLength: idCharsMax, description: "As the text came with it" }),
  signature: Type.String({
    maxLength: signatureCharsMax,
    description: "Of the text, by `personal_sign`; `0x…`",
  }),
});

export interface GuardDeps extends Authentication {
  readonly sessions: Pick<Sessions, "find">;
  site(): Site;
}

/** Guards all routes that are registered on the server from here on. */
export function guardAccounts(server: TypedServer, deps: GuardDeps, throttle: Throttle): void {
  server.decorateRequest("session", null);
  server.addHook("onRoute", ({ url, config }) => {
    const isNamed = config?.isOpen === true || config?.permission !== undefined;
    assert(isNamed, `the route ${url} names no permission`);
  });
  const admit = admission(deps, { auth: "api-key" }, throttle);
  server.addHook("onRequest", async (request, reply) => {
    reply.headers({ "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" });
    request.apiKey = null;
    const { permission, isUnlimited = false, takesKeys = false } = request.routeOptions.config;
    // Another origin cannot make a browser send this header, so the origin needs no check.
    if (takesKeys && request.headers.authorization !== undefined) return admit(request, reply);
    if (!readingMethods.has(request.method)) checkOrigin(request, deps.site().origin);
    const session =
      permission === undefined ? null : await findSession(request, reply, deps, throttle);
    request.session = session;
    if (!isUnlimited) await throttle(request, reply, session);
    if (session && permission !== undefined) demandPermission(session, permission);
  });
}

/** Throws 401, and counts the attempt against the caller's network address. */
async function findSession(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: GuardDeps,
  throttle: Throttle,
): Promise<MemberSession> {
  const session = await deps.sessions.find(tokenOf(request, sessionCookie));
  if (session) return session;
  await throttle(request, reply, null);
  if (request.cookies[sessionCookie] !== undefined) clearCookie(reply, sessionCookie);
  throw new HttpProblem("unauthorized", noSession);
}

/**
 * Browsers report the page that a request comes from. `Origin` decides where present; a request
 * with neither header comes from no current browser.
 */
function checkOrigin({ headers }: FastifyRequest, origin: string): void {
  const isSameOrigin =
    headers.origin === undefined
      ? headers["sec-fetch-site"] === "same-origin"
      : headers.origin === origin;
  if (isSameOrigin) return;
  throw new HttpProblem(
    "foreign_origin",
    `Go on at ${origin}: requests that change something must come from there, by their header Origin. The operator sets the address with FARTHING_PUBLIC_URL.`,
  );
}

/** Throws 403 unless the details of the action were signed. */
export async function demandStepUp<Name extends StepUpName>(
  stepUp: StepUp,
  session: Session,
  step: Step<Name>,
  answer: SignAnswer,
): Promise<void> {
  if (!(await stepUp.confirm(session, step, answer))) throw stepUpFailed();
}

export function stepUpFailed(): HttpProblem {
  return new HttpProblem("step_up_failed", noStepUp);
}
