/**
 * Runs anvil (Foundry's local chain) as a child process that cannot outlive its parent: a shell
 * supervisor reads a pipe that the parent holds. When the parent ends, by SIGKILL too, the pipe
 * closes, and the supervisor kills anvil and removes its folder. Stopping closes the pipe. Needs
 * `sh`, so Linux or macOS.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { findAnvil, howToGetAnvil } from "./find-anvil.ts";

interface AnvilOptions {
  /** 0 lets the system choose a free port. */
  port: number;
  /** Flags besides `--port`, `--host` and `--cache-path`. */
  flags: string[];
  /** Where to look for anvil when it is not installed beside this package. */
  anvilFolder?: string | undefined;
}

/** anvil answers within 0.2 s on an idle machine. */
const startTimeoutMs = 15_000;

/** Enough of anvil's errors to name the cause. */
const complaintCharactersMax = 4_000;

/**
 * `$1` is the folder to remove, the rest is the command. File descriptor 3 is the pipe to the
 * parent, which only the watching subshell keeps. The child prints its process id before it becomes
 * anvil. The supervisor is silent: writing to a dead parent would kill it before it removes the
 * folder.
 */
const supervisor = `
folder=$1; shift
exec 3<&0
sh -c 'echo "supervised $$"; exec "$@"' start "$@" </dev/null 3<&- &
child=$!
{ read -r _; kill -KILL $child; } <&3 3<&- >/dev/null 2>&1 &
watcher=$!
exec >/dev/null 2>&1
wait $child
status=$?
kill -KILL $watcher 2>/dev/null
rm -rf "$folder"
exit $status
`;

/** Waits until anvil listens. Throws with anvil's own message. */
export async function startAnvil(options: AnvilOptions) {
  const anvil = findAnvil(options.anvilFolder);
  if (anvil === undefined) throw new Error(howToGetAnvil());
  const folder = mkdtempSync(join(tmpdir(), "farthing-devnet-"));
  const command = [anvil, "--host", "127.0.0.1", "--port", `${options.port}`];
  // anvil writes gigabytes of past states and never removes them: they go where the supervisor
  // cleans up.
  command.push("--cache-path", join(folder, "cache"), ...options.flags);
  const child = spawn("sh", ["-c", supervisor, "supervisor", folder, ...command], {
    stdio: ["pipe", "pipe", "pipe"],
    // In its own group, so that Ctrl-C reaches only the parent, which then stops in order.
    detached: true,
    env: { PATH: process.env["PATH"], HOME: folder, NO_COLOR: "1" },
  });
  // `ended` reports the end of the supervisor.
  child.stdin.on("error", () => {});
  /** Resolves when anvil and its supervisor have ended and its folder is gone. */
  const ended = new Promise<void>((resolve) => {
    child.once("close", () => resolve());
    child.once("error", () => resolve());
  });
  const stop = async (): Promise<void> => {
    child.stdin.end();
    await ended;
  };
  try {
    return { ...(await untilListening(child, options.port)), ended, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** anvil's start page is the only sure source of a port that the system chose; `pid` is anvil's. */
async function untilListening(child: ChildProcess, wantedPort: number) {
  const { stdout, stderr } = child;
  if (!stdout || !stderr) throw new Error("anvil was started without pipes");
  let complaint = "";
  stderr.setEncoding("utf8").on("data", (text: string) => {
    complaint = (complaint + text).slice(-complaintCharactersMax);
  });
  const lines = createInterface({ input: stdout });
  const found = Promise.withResolvers<{ port: number; pid: number }>();
  let pid = 0;
  lines.on("line", (line) => {
    pid = Number(/^supervised (\d+)$/.exec(line)?.[1] ?? pid);
    const port = /^Listening on .*:(\d+)$/.exec(line)?.[1];
    if (port) found.resolve({ port: Number(port), pid });
  });
  child.once("error", found.reject);
  child.once("close", (status) => {
    const taken = complaint.toLowerCase().includes("address already in use");
    const why = taken ? `port ${wantedPort} is taken` : complaint.trim() || `status ${status}`;
    found.reject(new Error(`The local chain did not start: ${why}`));
  });
  const timer = setTimeout(() => {
    const seconds = startTimeoutMs / 1000;
    found.reject(new Error(`The local chain did not answer within ${seconds} s: ${complaint}`));
  }, startTimeoutMs);
  try {
    return await found.promise;
  } finally {
    clearTimeout(timer);
    lines.close();
    // A full pipe would block anvil.
    stdout.resume();
  }
}
