/** POST /verify: judges a payment and moves nothing. */
import { parsePaymentRequest } from "@farthing/protocol";
import type { FastifyInstance } from "fastify";
import { answerInvalid, answerValid, HttpProblem } from "./answer.ts";
import { admission, checkPayee } from "./authenticate.ts";
import type { HttpContext } from "./context.ts";
import { describePayments } from "./describe-surface.ts";
import { tellExtensions } from "./extension-responses.ts";
import type { Throttle } from "./limits.ts";
import { sendProblem } from "./send-problem.ts";
import { isServed, type Surface } from "./surface.ts";

/** Adds the route to a surface. */
export function registerVerify(
  server: FastifyInstance,
  context: HttpContext,
  surface: Surface,
  throttle: Throttle,
): void {
  const options = {
    served: isServed.bind(undefined, surface),
    marginSeconds: 0n,
  };
  server.post(`${surface.basePath}/verify`, {
    ...describePayments(surface).verify,
    onRequest: admission(context, surface, throttle),
    preHandler: tellExtensions(context),
    handler: async (request, reply) => {
      const parsed = parsePaymentRequest(request.body);
      if (!parsed.ok) return answerInvalid(parsed.refusal, undefined);
      checkPayee(request.apiKey, parsed.value);
      const payer = parsed.value.payment.authorization.from;
      const verdict = await context.verifier.verifyUnclaimed(parsed.value, options);
      return reply.send(verdict.ok ? answerValid(payer) : answerInvalid(verdict.refusal, payer));
    },
    errorHandler: (error, request, reply) => {
      // A stock client reads `isValid` also beside other statuses; it must not blame the payer.
      const isOther = error instanceof HttpProblem && error.code !== "service_unavailable";
      const shape = {
        isValid: false,
        invalidReason: "service_unavailable",
        invalidMessage: faultMessage,
        extra: { x402Reason: "unexpected_verify_error" },
      };
      if (isOther || "statusCode" in error) server.errorHandler(error, request, reply);
      else sendProblem(context, request, reply, error, shape);
    },
  });
}

/** Said beside a 503: the payment was not judged. */
export const faultMessage = "The payment was not judged; try again shortly with the same payment.";
