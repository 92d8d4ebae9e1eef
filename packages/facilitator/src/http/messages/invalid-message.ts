/** Messages for requests that do not match the schema. */
import { isObject } from "@farthing/protocol";
import type { FastifyError } from "fastify";

/** Longer names of unknown members are not repeated, and no other part of the request is. */
const maxMemberName = 64;

export function invalidMessage({ validation = [], validationContext }: FastifyError): string {
  const [first] = validation;
  const path = (first?.instancePath ?? "").replaceAll("/", ".");
  return `${validationContext ?? "request"}${path} ${problemOf(first)}; /openapi.json has its shape.`;
}

function problemOf(problem: NonNullable<FastifyError["validation"]>[number] | undefined): string {
  switch (problem?.keyword) {
    case "additionalProperties":
      return `has an unknown member: ${String(problem.params["additionalProperty"]).slice(0, maxMemberName)}`;
    case "discriminator":
      return `is of no known kind: ${String(problem.params["tag"])}`;
    case "pattern":
    case "format":
      return `has not the right form${descriptionOf(problem)}`;
    default:
      return problem?.message ?? "is malformed";
  }
}

/** Returns the schema's description of the member (Ajv's `verbose`). */
function descriptionOf(problem: object): string {
  const schema = "parentSchema" in problem ? problem.parentSchema : undefined;
  const description = isObject(schema) ? schema["description"] : undefined;
  return typeof description === "string" ? ` (${description})` : "";
}
