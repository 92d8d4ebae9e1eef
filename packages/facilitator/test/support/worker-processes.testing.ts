/** The workers of a service under test, as the operating system shows them. */
import { execFileSync, spawnSync } from "node:child_process";
import { request, type IncomingMessage } from "node:http";
import { once } from "node:events";
import { text } from "node:stream/consumers";

/** The process ids of the workers of a process. */
export function workersOf(parent: number): number[] {
  const listed = execFileSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" });
  return listed.split("\n").flatMap((line) => {
    const [pid, ppid, ...words] = line.trim().split(/\s+/);
    const isWorker = words.some((word) => /worker-process\.[jt]s$/.test(word));
    return isWorker && Number(ppid) === parent ? [Number(pid)] : [];
  });
}

/** Whether a process runs; one that has ended may still be listed until its parent has seen it. */
export function isRunning(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", `${pid}`], { encoding: "utf8" });
  return stdout.trim() !== "" && !stdout.trim().startsWith("Z");
}

/** A request as it is written, on a connection of its own. */
export interface PlainRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string;
}

export interface PlainResponse {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
}

export async function ask(url: string, wanted: PlainRequest): Promise<PlainResponse> {
  const { method = "POST", path, headers = {}, body } = wanted;
  const { hostname, port } = new URL(url);
  const call = request({ hostname, port, method, path, headers, agent: false });
  call.end(body);
  const [response]: IncomingMessage[] = await once(call, "response");
  if (!response) throw new Error("no response");
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: await text(response),
  };
}
