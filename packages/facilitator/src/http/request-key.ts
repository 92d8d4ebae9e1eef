/** The API key of a request, put there by the authentication before the body is read. */
import type { ApiKey } from "../model/api-key.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Null on surfaces that ask for none. */
    apiKey: ApiKey | null;
  }
}
