/** A folder of files that is sold without a server: an upstream that reads the disk. */
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { send } from "@fastify/send";
import type { UpstreamConfig } from "./configuration/configuration.ts";
import { indexFile } from "./routing/route-pattern.ts";
import {
  readWhole,
  slotsOf,
  type Upstream,
  type UpstreamCall,
  type UpstreamRole,
} from "./upstream.ts";

/** Creates the upstream of a folder, whose configuration has a `file:` address. */
export function createFolderUpstream(config: UpstreamConfig, role: UpstreamRole): Upstream {
  const { url, responseBytesMax } = config;
  const root = fileURLToPath(url);
  const slots = slotsOf(config, role);

  async function open({ method, target, headers, body, signal, isUnpaid }: UpstreamCall) {
    if (!(await slots.take(isUnpaid))) return { kind: "failed", reason: "full" } as const;
    // A file needs no body; what a client sends is read to its end and dropped.
    if (body instanceof Readable) body.resume();
    if (signal?.aborted) {
      slots.free(isUnpaid);
      return { kind: "failed", reason: "gone" } as const;
    }
    const found = await find(root, { method, target, headers });
    found.body.once("close", () => slots.free(isUnpaid));
    // The reader of the body reports errors; without a listener one would end the process.
    found.body.on("error", () => undefined);
    signal?.addEventListener("abort", () => found.body.destroy(), { once: true });
    return { kind: "response", ...found } as const;
  }

  return {
    inFlight: slots.taken,
    isFull: slots.isLineFull,
    open,
    async fetch(call) {
      const response = await open(call);
      if (response.kind === "failed") return response;
      try {
        const body = await readWhole(response.body, responseBytesMax);
        return body ? { ...response, body } : { kind: "failed", reason: "too_large" };
      } catch {
        // The file became unreadable, or shorter, while it was read.
        return { kind: "failed", reason: "broken" };
      }
    },
    close: async () => undefined,
  };
}

interface Found {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Readable;
}

/** Finds the file of a target below the folder. Files and folders that begin with a dot are hidden. */
async function find(
  root: string,
  { method, target, headers }: Pick<UpstreamCall, "method" | "target" | "headers">,
): Promise<Found> {
  if (method !== "GET" && method !== "HEAD") {
    return text(405, "Files are read with GET or HEAD.\n", { allow: "GET, HEAD" });
  }
  const [path = "/"] = target.split("?");
  const request = Object.assign(Readable.from([]), { method, headers });
  // The gateway's routes and the seller say what caches may keep.
  const sent = await send(request, path, {
    root,
    index: indexFile,
    dotfiles: "ignore",
    cacheControl: false,
  });
  if (sent.type === "file") {
    // Typed as texts, and the length is a number.
    const values: Readonly<Record<string, unknown>> = sent.headers;
    const given = Object.entries(values).map(([name, value]) => [
      name.toLowerCase(),
      String(value),
    ]);
    return { status: sent.statusCode, headers: Object.fromEntries(given), body: sent.stream };
  }
  sent.stream.destroy();
  if (sent.statusCode >= 500) return text(500, "The file cannot be read.\n");
  const isWrongPart = sent.statusCode === 416 || sent.statusCode === 412;
  return isWrongPart
    ? text(sent.statusCode, "The file has no such part.\n")
    : text(404, "There is no such file.\n");
}

function text(status: number, message: string, headers: Record<string, string> = {}): Found {
  const type = { "content-type": "text/plain; charset=utf-8" };
  return { status, headers: { ...type, ...headers }, body: Readable.from([Buffer.from(message)]) };
}
