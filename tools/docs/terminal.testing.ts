/**
 * Runs the shell blocks of a page as its reader does: one after the other in one terminal, which
 * keeps its variables and folder. A block that stays up occupies its terminal, and the next block
 * runs in a new one.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Run } from "./read-page.ts";
import type { Stage } from "./stage.testing.ts";

/**
 * A block takes seconds; a machine that runs many tests at once takes more. The packages of another
 * language take half a minute alone, and were seen to take more than two beside other programs.
 */
const blockMs = process.env["FARTHING_DOCS_TOOLCHAIN"] === undefined ? 120_000 : 300_000;

/** How long a block that stayed up may take to end after a signal. */
const stopMs = 10_000;

/** The terminals of one page. */
export interface Terminals {
  /** Runs a block. Throws with its output if it does not behave as the page says. */
  run(text: string, run: Run): Promise<void>;
  /** Presses Ctrl-C in the terminal of the block that stayed up last; resolves when it has ended. */
  interrupt(): Promise<void>;
  /** Ends all blocks that stay up. */
  close(): Promise<void>;
}

/** Opens the first terminal of a page. */
export function openTerminals(stage: Stage): Terminals {
  let terminal = 1;
  const stateFile = () => join(stage.folder, `.terminal-${terminal}`);
  const standing: ChildProcess[] = [];
  const start = (text: string) => {
    const state = stateFile();
    const script = [
      "set -euo pipefail",
      `cd "${stage.folder}"`,
      existsSync(state) ? `. "${state}"` : "",
      text,
      `{ export -p; printf 'cd %q\\n' "$PWD"; } > "${state}"`,
    ];
    const child = spawn("bash", ["-c", script.join("\n")], {
      cwd: stage.folder,
      env: stage.environment,
      stdio: ["ignore", "pipe", "pipe"],
      // A separate process group, which is ended as a whole.
      detached: true,
    });
    let printed = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (part: string) => {
        printed += part;
        child.emit("printed");
      });
    }
    return { child, printed: () => printed };
  };
  return {
    async run(text, { staysUp, says, endsWith }) {
      const { child, printed } = start(text);
      const ended = once(child, "close");
      const wanted = says === undefined ? undefined : stage.localize(says);
      const late = AbortSignal.timeout(blockMs);
      try {
        if (staysUp && wanted !== undefined) {
          standing.push(child);
          terminal++;
          while (!printed().includes(wanted)) {
            await Promise.race([
              once(child, "printed", { signal: late }),
              ended.then(() => Promise.reject(new Error("it ended"))),
            ]);
          }
          return;
        }
        const [code] = await Promise.race([ended, once(late, "abort").then(() => ["a time-out"])]);
        if (code !== endsWith) throw new Error(`it ended with ${code}`);
        if (wanted !== undefined && !printed().includes(wanted))
          throw new Error(`it did not say "${wanted}"`);
      } catch (cause) {
        kill(child, "SIGKILL");
        const reason = cause instanceof Error ? cause.message : String(cause);
        throw new Error(`${reason}; it was:\n${text}\nand printed:\n${printed()}`, { cause });
      }
    },
    async interrupt() {
      const child = standing.pop();
      if (!child) throw new Error("nothing stays up");
      await end(child, "SIGINT");
    },
    async close() {
      for (const child of standing.toReversed()) await end(child, "SIGTERM");
    },
  };
}

/** Asks a block to end, and kills it if it does not. */
async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "close");
  kill(child, signal);
  await Promise.race([ended, once(AbortSignal.timeout(stopMs), "abort")]);
  kill(child, "SIGKILL");
}

/** Signals a process group, which may have ended. */
function kill({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // It has already ended.
  }
}
