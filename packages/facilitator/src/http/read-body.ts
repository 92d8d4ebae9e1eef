/** Bodies: JSON objects of bounded depth, and what is wrong with those that are not. */
import { isObject, jsonDepthMax, parseJson } from "@farthing/protocol";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { messageOf } from "../base/fault.ts";
import { HttpProblem } from "./answer.ts";

/** Reads bodies of `application/json`, and no others. */
export function readBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(
    "application/json",
    { parseAs: "string" },
    async (_request: FastifyRequest, body: string | Buffer) => {
      const text = String(body);
      const parsed = parseJson(text);
      if (parsed && isObject(parsed.value)) return parsed.value;
      throw new HttpProblem("invalid_request", whatIsWrong(text));
    },
  );
}

/** Says where to look; nothing of the text, in which there may be a secret, is repeated. */
function whatIsWrong(text: string): string {
  if (text.trim() === "") return "The body is empty; send a JSON object.";
  try {
    return isObject(JSON.parse(text))
      ? `The body is nested deeper than ${jsonDepthMax} levels; send a flatter object.`
      : "The body is JSON and no object; send one that begins with {.";
  } catch (error) {
    const position = /at position (\d+)/.exec(messageOf(error))?.[1];
    const where = position === undefined ? "" : `: look at character ${position}, counted from 0`;
    return `The body is not valid JSON${where}; send a JSON object.`;
  }
}
