/**
 * Loaded before a program that a test or a tool starts: it ends the program when the other end of
 * its standard input is closed. An interrupted parent, SIGKILL included, leaves no process behind.
 * Plain JavaScript, so that measured programs load nothing else for it.
 */
import process from "node:process";

process.stdin.once("end", () => process.kill(process.pid, "SIGKILL")).resume();
if ("unref" in process.stdin) process.stdin.unref();
