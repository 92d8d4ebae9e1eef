/**
 * What deploy/ holds is in order as far as that can be seen without running it: the Dockerfile
 * parses and keeps its rules, every setting that anything names is one, the values are accepted,
 * and systemd finds nothing wrong with the unit.
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { readConfig, settings } from "@farthing/facilitator";
import { DockerfileParser } from "dockerfile-ast";
import { validate } from "dockerfile-utils";
import { afterAll, describe, expect, test } from "vitest";
import { listen } from "@farthing/seller/testing/listen";

const root = join(import.meta.dirname, "../../..");
const readText = (path: string): string => readFileSync(join(root, path), "utf8");

/** A text that a service is started with, and what its files hold in a real deployment. */
const key = `0x${"11".repeat(32)}`;
const secretTexts: Readonly<Record<string, string>> = {
  "rpc-51": "https://erpc.apothem.network",
  "relayer-keys": key,
  "id-secret": "0f".repeat(32),
};

const folder = mkdtempSync(join(tmpdir(), "farthing-deploy-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
for (const [name, text] of Object.entries(secretTexts)) {
  writeFileSync(join(folder, name), `${text}\n`);
}

/** Puts the files above in the place of those that a deployment has. */
const withOwnFiles = (environment: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [
      name,
      value.replace(/^%d\//, `${folder}/`),
    ]),
  );

describe("Dockerfile", () => {
  const text = readText("deploy/Dockerfile");
  const file = DockerfileParser.parse(text);
  const argumentsOf = (keyword: string): string[] =>
    file
      .getInstructions()
      .filter((instruction) => instruction.getKeyword() === keyword)
      .map((instruction) => instruction.getArgumentsContent() ?? "");

  test("parses, and the linter finds nothing", () => {
    expect(validate(text).map(({ message, range }) => [range.start.line + 1, message])).toEqual([]);
  });

  test("is built in one stage and runs in another, on the Node.js of this repository, by its digest", () => {
    const { devDependencies } = JSON.parse(readText("package.json"));
    const [build = "", image = ""] = argumentsOf("FROM");
    expect(build).toBe(`${image} AS build`);
    const [tag, digest] = image.split("@");
    expect(tag).toBe(`node:${devDependencies.node}-bookworm-slim`);
    expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  test.each([
    ["a facilitator that serves", "/health", 0],
    ["a gateway that serves", "/__x402/health", 0],
    ["anything else", "/elsewhere", 1],
  ])("the health check of %s", async (_, healthy, status) => {
    const [check = ""] = argumentsOf("HEALTHCHECK");
    const [program, ...rest]: string[] = JSON.parse(check.slice(check.indexOf("[")));
    expect(program).toBe("node");
    const server = await listen((request, response) => {
      response.writeHead(request.url === healthy ? 200 : 404).end();
    });
    const { port } = new URL(server.url);
    const child = spawn(process.execPath, rest, { env: { FARTHING_PORT: port } });
    expect(await once(child, "exit")).toEqual([status, null]);
    await server.close();
  });

  test("runs as an ordinary user, and is told to stop", () => {
    expect(argumentsOf("USER")).toEqual(["node"]);
    expect(argumentsOf("STOPSIGNAL")).toEqual(["SIGTERM"]);
    expect(argumentsOf("ENTRYPOINT")).toEqual(['["farthing"]']);
  });

  test("names no setting that there is not, and copies nothing that is not there", () => {
    const named = argumentsOf("ENV")
      .join(" ")
      .match(/\bFARTHING_\w+/g);
    expect(named?.filter((name) => !Object.hasOwn(settings, name))).toEqual([]);
    const ignored = readText("deploy/Dockerfile.dockerignore");
    for (const path of [".git", "**/node_modules", "**/*.db", "deploy/secrets"])
      expect(ignored.split("\n")).toContain(path);
  });
});

const pairsOf = (lines: readonly string[]): Record<string, string> =>
  Object.fromEntries(lines.map((line) => line.split(/=(.*)/, 2)));

describe("farthing.service", () => {
  const unit = readText("deploy/farthing.service");
  const valuesOf = (name: string): string[] =>
    [...unit.matchAll(new RegExp(`^${name}=(.*)$`, "gm"))].map(([, value = ""]) => value);

  test("gives the facilitator settings with which it starts", () => {
    const lines = readText("deploy/farthing.env").split("\n");
    const env = {
      ...pairsOf(lines.filter((line) => line !== "" && !line.startsWith("#"))),
      ...pairsOf(valuesOf("Environment")),
    };
    expect(readConfig({ env: withOwnFiles(env) })).toMatchObject({
      databaseUrl: "sqlite:/var/lib/farthing/farthing.db",
      publicUrl: "https://pay.example",
    });
    // What it may write is the folder of its database.
    expect(valuesOf("StateDirectory")).toEqual(["farthing"]);
    const credentials = valuesOf("LoadCredential").map((line) => line.split(":")[0]);
    expect(credentials.map((name) => `%d/${name}`)).toEqual(
      valuesOf("Environment")
        .filter((line) => line.includes("_FILE="))
        .map((line) => line.split("=")[1]),
    );
  });

  test("systemd finds nothing wrong with it, and little that it exposes", async (context) => {
    const path = join(folder, "farthing.service");
    // It looks for the program, which this machine need not have.
    writeFileSync(path, unit.replace("=farthing ", `=${process.execPath} `));
    const run = promisify(execFile);
    try {
      await run("systemd-analyze", ["--version"]);
    } catch {
      context.skip("there is no systemd-analyze here");
    }
    expect(await run("systemd-analyze", ["verify", "--man=no", path])).toEqual({
      stdout: "",
      stderr: "",
    });
    // In tenths; it fails above. Debian's own services have 9.6 without any of this.
    await run("systemd-analyze", ["security", "--offline=true", "--threshold=20", path]);
  });
});
