/** A Worker that passes every call on to the object of its path, so that tests reach it from outside. */
import { PaymentRecordsObject } from "./durable-object.ts";

interface Env {
  readonly RECORDS: {
    idFromName(name: string): unknown;
    get(id: unknown): { fetch(request: Request): Promise<Response> };
  };
}

export { PaymentRecordsObject };

export default {
  fetch(request: Request, { RECORDS }: Env): Promise<Response> {
    return RECORDS.get(RECORDS.idFromName(new URL(request.url).pathname)).fetch(request);
  },
};
