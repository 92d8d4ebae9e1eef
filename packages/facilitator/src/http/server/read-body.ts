/** Request bodies: JSON objects of bounded depth. */
import { isObject, jsonDepthMax, parseJson } from "@farthing/protocol";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { messageOf } from "@farthing/engine/base";
import { HttpProblem } from "../messages/responses.ts";

/** Accepts bodies of `application/json` only. */
export function readBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(
    "application/json",
    { parseAs: "string" },
    async (request: FastifyRequest, body: string | Buffer) => {
      refuseEncoded(request);
      const text = String(body);
      const parsed = parseJson(text);
      if (parsed && isObject(parsed.value)) return parsed.value;
      throw new HttpProblem("invalid_request", whatIsWrong(text));
    },
  );
}

/** Refuses compressed bodies, which could be decompression bombs. Throws 415. */
function refuseEncoded({ headers }: FastifyRequest): void {
  const encoding = headers["content-encoding"]?.trim().toLowerCase() ?? "";
  if (encoding === "" || encoding === "identity") return;
  throw new HttpProblem(
    "unsupported_media_type",
    "The body is compressed (Content-Encoding); send it as it is.",
  );
}

/** Refuses a request without a body. Throws 400. */
export async function requireBody({ body }: FastifyRequest): Promise<void> {
  if (!isObject(body)) throw new HttpProblem("invalid_request", emptyBody);
}

const emptyBody = "The body is empty; send a JSON object.";

/** Names the position of the error, and repeats nothing of the text, which may hold a secret. */
function whatIsWrong(text: string): string {
  if (text.trim() === "") return emptyBody;
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
