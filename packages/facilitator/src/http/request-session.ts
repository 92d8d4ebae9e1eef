/** The session of a request to the account API, put there before its body is read. */
import type { Session } from "../model/account.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Null on routes that are open to everybody. */
    session: Session | null;
  }

  interface FastifyContextConfig {
    /** Of the account API: needs no session. All others do. */
    readonly isOpen?: boolean;
    /** Never refused for asking too often: what ends an attack must always work. */
    readonly isUnlimited?: boolean;
  }
}
