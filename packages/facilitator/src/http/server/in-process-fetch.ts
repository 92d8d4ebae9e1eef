/** Requests to the service from within its own process, without a socket. */
import type { FastifyInstance } from "fastify";
import { orAborted } from "@farthing/engine/base";
import { isBodiless } from "@farthing/protocol";

/** Creates a `fetch` that sends every request to the server, whatever the host. */
export function createInProcessFetch(server: FastifyInstance): typeof globalThis.fetch {
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
    // The caller may give up before the response; the work continues, as it does over a socket.
    const response = await orAborted(asked, signal);
    const headers = new Headers();
    for (const [name, value] of Object.entries(response.headers)) {
      for (const one of [value ?? []].flat()) headers.append(name, String(one));
    }
    const { statusCode: status, rawPayload } = response;
    return new Response(isBodiless(status) ? null : new Uint8Array(rawPayload), {
      status,
      headers,
    });
  };
}
