/** `farthing mcp` as a process: how it starts and ends. What its tools do is tested on a chain. */
import { expect, test } from "vitest";
import { farthing } from "../command/farthing-bin.testing.ts";

test("it ends when its host leaves, and has written nothing", async () => {
  expect(await farthing(["mcp"])).toEqual({ code: 0, stdout: "", stderr: "" });
});

test("it answers in the protocol's words and no others", async () => {
  const hello = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "a", version: "1" },
  };
  const messages = [
    { jsonrpc: "2.0", id: 1, method: "initialize", params: hello },
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "limits", arguments: {} } },
    "this is no message",
    { jsonrpc: "2.0", id: 3, method: "tools/call", params: { name: "set_limits", arguments: {} } },
  ];
  const lines = messages.map((one) => (typeof one === "string" ? one : JSON.stringify(one)));
  const { stdout } = await farthing(["mcp"], { input: `${lines.join("\n")}\n` });
  const said = stdout
    .trimEnd()
    .split("\n")
    .map((line): unknown => JSON.parse(line));
  expect(said[0]).toMatchObject({ id: 1, result: { serverInfo: { name: "farthing" } } });
  for (const message of said) expect(message).toMatchObject({ jsonrpc: "2.0" });
});

test.each([
  ["without a wallet", 3, [], { FARTHING_WALLET_KEY: "" }, "No wallet"],
  ["with a key that is none", 3, [], { FARTHING_WALLET_KEY: "0x12" }, "not a private key"],
  ["with an amount that is none", 2, ["--ask-above", "much"], {}, "--ask-above"],
  ["with a network that is none", 2, ["--network", "mars"], {}, "--network"],
  ["with a facilitator that is none", 2, ["--facilitator", "ftp://x"], {}, "--facilitator"],
])("%s it does not start", async (_case, code, flags, environment, said) => {
  const ended = await farthing(["mcp", ...flags], { environment });
  expect(ended).toMatchObject({ code, stdout: "" });
  expect(ended.stderr).toContain(said);
  expect(ended.stderr).not.toContain("0x12");
});
