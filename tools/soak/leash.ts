/**
 * Loaded before a facilitator's own program: ends it when whoever holds the other end of its
 * standard input is gone, so that an interrupted soak leaves no process behind.
 */
process.stdin.once("end", () => process.kill(process.pid, "SIGKILL")).resume();
if ("unref" in process.stdin) process.stdin.unref();
