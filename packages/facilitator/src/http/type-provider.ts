/** Routes whose requests and answers have the types of their TypeBox schemas. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyTypeProvider,
  RawServerDefault,
} from "fastify";
import type { Static, TSchema } from "typebox";

/** From schemas to types. */
export interface TypeBoxProvider extends FastifyTypeProvider {
  validator: this["schema"] extends TSchema ? Static<this["schema"]> : unknown;
  serializer: this["schema"] extends TSchema ? Static<this["schema"]> : unknown;
}

/** A server whose routes are typed by their schemas. */
export type TypedServer = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxProvider
>;
