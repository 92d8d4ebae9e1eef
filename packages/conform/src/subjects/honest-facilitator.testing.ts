/**
 * A small facilitator that keeps every rule of the kit, and one of them not on request: the subject
 * that shows that each case can fail. It trusts the chain alone, asks it again and again, and writes
 * each transaction down before it sends it.
 */
import type { RequestListener } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { parseJson, type JsonObject } from "@farthing/protocol";
import type { Subject } from "../run/subject.ts";
import { checkPayment } from "./check-payment.testing.ts";
import { facilitatorFaults, type FacilitatorFault } from "./faults.testing.ts";
import { createSubjectInProcess } from "./in-process.testing.ts";
import { bendAnswer, bendRequest } from "./misbehaviour.testing.ts";
import { createSettler } from "./settler.testing.ts";

/** Starts one in this process; `kill` leaves its file, and its calls to the node fail from then on. */
export function createHonestFacilitator(
  env: Readonly<Record<string, string>>,
  fault?: FacilitatorFault,
): Subject {
  return createSubjectInProcess(env, () => {
    const life = { isOver: false };
    return { listener: createListener(env, life, fault), onKill: () => (life.isOver = true) };
  });
}

function createListener(
  env: Readonly<Record<string, string>>,
  life: { readonly isOver: boolean },
  fault: FacilitatorFault | undefined,
): RequestListener {
  const settler = createSettler(env, life, fault);
  const routes: Readonly<
    Record<string, (body: unknown, caller: { readonly hasLeft: boolean }) => Promise<JsonObject>>
  > = {
    "/supported": async () => supportedOf(env, fault),
    "/verify": (body) => settler.verify(checkPayment(body, fault)),
    "/settle": (body, caller) => settler.settle(checkPayment(body, fault), body, caller),
  };
  return (request, response) => {
    const caller = { hasLeft: false };
    response.once("close", () => (caller.hasLeft = !response.writableFinished));
    const respond = async () => {
      const path = request.url ?? "";
      const route = routes[path];
      const sent = bendRequest(await text(request), fault, env["CONFORM_NETWORK"] ?? "");
      const read = request.method === "POST" ? parseJson(sent) : { value: undefined };
      const unreadStatus = fault === "refuses-a-body-that-is-no-json" ? 500 : 400;
      if (!route || !read) return [route ? unreadStatus : 404, { error: "bad request" }] as const;
      return [200, bendAnswer(path, fault, await route(read.value, caller))] as const;
    };
    respond().then(
      ([status, body]) => {
        if (life.isOver) return response.destroy();
        response.writeHead(status, { "content-type": "application/json" });
        return response.end(JSON.stringify(body));
      },
      (error: unknown) => {
        if (life.isOver) return response.destroy();
        response.writeHead(503, { "content-type": "application/json" });
        return response.end(JSON.stringify({ error: String(error) }));
      },
    );
  };
}

function supportedOf(
  env: Readonly<Record<string, string>>,
  fault: FacilitatorFault | undefined,
): JsonObject {
  const network = fault === "supported-kinds" ? "eip155:*" : env["CONFORM_NETWORK"];
  const kinds = [
    { x402Version: 2, scheme: "exact", network },
    { x402Version: 1, scheme: "exact", network: env["CONFORM_NETWORK_V1"] },
  ];
  return { kinds, extensions: [], signers: {} };
}

// As a program: `node honest-facilitator.testing.ts [fault]`, with the variables of the kit.
if (import.meta.main) {
  const env = Object.fromEntries(
    Object.entries(process.env).map(([name, value]) => [name, value ?? ""]),
  );
  const fault = facilitatorFaults.find((name) => name === process.argv[2]);
  await createHonestFacilitator(env, fault).start();
  await pause(3_600_000);
}
