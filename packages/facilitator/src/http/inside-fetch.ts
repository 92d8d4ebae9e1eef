/** Requests to the service from within its own process, without a socket. */
import type { FastifyInstance } from "fastify";
import { orAborted } from "@farthing/engine/base";

/** Statuses of answers that have no body. */
const bodiless = new Set([204, 205, 304]);

/** Makes a `fetch` that every route of the server answers, whatever the address's host. */
export function createInsideFetch(server: FastifyInstance): typeof globalThis.fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const { signal } = request;
    const { pathname, search } = new URL(request.url);
    const body = await request.text();
    const { method } = request;
    const asked = server.inject({
      method,
      url: pathname + search,
      headers: Object.fromEntries(request.headers),
      ...(body === "" ? {} : { payload: body }),
    });
    // The caller's patience may end before the answer; the work goes on, as it does over a socket.
    const answer = await orAborted(asked, signal);
    const headers = new Headers();
    for (const [name, value] of Object.entries(answer.headers)) {
      for (const one of [value ?? []].flat()) headers.append(name, String(one));
    }
    const { statusCode: status, rawPayload } = answer;
    return new Response(bodiless.has(status) ? null : new Uint8Array(rawPayload), {
      status,
      headers,
    });
  };
}
