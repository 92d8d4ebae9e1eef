/** A log whose reader stops reading, as a log collector does that hangs. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const writer = fileURLToPath(new URL("support/log-writer.testing.ts", import.meta.url));

test.each(["facilitator", "gateway"])(
  "the %s keeps working while its log is not read, and reports how many lines it dropped",
  async (name) => {
    const child = spawn(process.execPath, ["--conditions=@farthing/source", writer, name]);
    try {
      // Standard output is not read yet, and a pipe holds 64 KiB.
      await once(child.stderr, "data");
      const lines: { event: string; lines?: number }[] = [];
      const reader = createInterface({ input: child.stdout });
      reader.on("line", (line) => lines.push(JSON.parse(line)));
      await once(reader, "close");

      const dropped = lines.find(({ event }) => event === "log_lines_dropped")?.lines ?? 0;
      const planted = lines.filter(({ event }) => event === "planted").length;
      expect(dropped).toBeGreaterThan(0);
      expect(planted + dropped).toBe(16_001);
      expect(await ended(child)).toBe(0);
    } finally {
      child.kill("SIGKILL");
    }
  },
);

async function ended(child: ReturnType<typeof spawn>): Promise<number | null> {
  if (child.exitCode === null) await once(child, "exit");
  return child.exitCode;
}
