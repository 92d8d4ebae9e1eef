/**
 * More callers than the process may have files open: nodes and the database keep their share, so that
 * who is connected gets an outcome, and the service goes on.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import type { Devnet } from "@farthing/devnet";
import { programFile } from "@farthing/lab/programs";
import { startRpcListener } from "@farthing/lab/json-rpc";
import { isObject, type JsonObject } from "@farthing/protocol";
import { expect, onTestFinished, test } from "vitest";
import { bodyOn, environmentOn, startChain, usesOf } from "../support/facilitator.testing.ts";

const runner = programFile(new URL("../support/serve-runner.testing.ts", import.meta.url));

const openFiles = 256;
const callers = 100;
/** Connections of somebody who keeps them; together with the callers' more than there are files. */
const idlers = 300;

/** One caller on a connection of its own; undefined where it was closed without a response. */
async function settle(url: string, body: JsonObject): Promise<JsonObject | undefined> {
  const headers = { "content-type": "application/json" };
  const call = request(`${url}/settle`, { method: "POST", agent: false, headers });
  call.end(JSON.stringify(body));
  try {
    const [response]: IncomingMessage[] = await once(call, "response");
    const said: unknown = JSON.parse(response ? await text(response) : "null");
    return isObject(said) ? said : undefined;
  } catch {
    return undefined;
  }
}

/** A node that closes the connection after each response, as gateways of nodes do. */
async function startForgetfulNode(devnet: Devnet) {
  const headers = { "content-type": "application/json" };
  const node = await startRpcListener(async (body) => {
    const response = await fetch(devnet.rpcUrl, { method: "POST", headers, body });
    const closing = { ...headers, connection: "close" };
    return { status: response.status, headers: closing, body: await response.text() };
  });
  onTestFinished(() => node.stop());
  return node.url;
}

async function startWithFewFiles(devnet: Devnet) {
  const rpcUrl = await startForgetfulNode(devnet);
  const env = environmentOn(devnet, { rpcUrl });
  const program = `ulimit -n ${openFiles}; exec "$0" --conditions=@farthing/source "$1"`;
  const child = spawn("sh", ["-c", program, process.execPath, runner], {
    env: { ...env, NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] },
    stdio: ["ignore", "ignore", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const place = /^Farthing listens on (\S+)/;
  const lines = createInterface({ input: child.stderr });
  const ended = once(child, "exit").then(() => Promise.reject(new Error("it did not start")));
  ended.catch(() => undefined);
  for (;;) {
    const [line]: unknown[] = await Promise.race([once(lines, "line"), ended]);
    const url = place.exec(String(line))?.[1];
    if (url !== undefined) return { url, child };
  }
}

/** Keeps connections that have had a response, and dials again whenever one is closed. */
function crowd(url: string): { end(): void } {
  const { hostname, port } = new URL(url);
  const open = new Set<Socket>();
  let isOver = false;
  function dial(): void {
    if (isOver) return;
    const socket = connect(Number(port), hostname);
    open.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => {
      open.delete(socket);
      setImmediate(dial);
    });
    // The connection is kept alive for a minute after its response.
    socket.write("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }
  for (let index = 0; index < idlers; index++) dial();
  return {
    end() {
      isOver = true;
      for (const socket of open) socket.destroy();
    },
  };
}

test("callers hold more connections than there are open files: whoever is connected is told", async () => {
  const devnet = await startChain({ buyers: callers, blockTimeSeconds: 2 });
  onTestFinished(() => devnet.stop());
  const { url, child } = await startWithFewFiles(devnet);
  const bodies = devnet.buyers.map((payer) => bodyOn(devnet, { payer }));
  const answers = bodies.map((body) => settle(url, body));
  const others = crowd(url);
  onTestFinished(others.end);
  for (const [index, answer] of (await Promise.all(answers)).entries()) {
    expect(answer).toMatchObject({ success: true });
    expect(await usesOf(devnet, bodies[index] ?? {})).toEqual([answer?.["transaction"]]);
  }
  others.end();
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
});
