/** A real Next.js app with a paid route handler: built, started, and given a folder of its own. */
import { execFile, spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";

const root = join(import.meta.dirname, "../../../..");
const next = join(root, "node_modules/next/dist/bin/next");

/** Longest build and start together, in milliseconds: many times what they take, for a busy machine. */
const startMsMax = 170_000;

const routeHandler = `
import { farthing } from "../../../farthing.js";
const charge = farthing({
  facilitator: { url: process.env.FACILITATOR_URL },
  payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
  publicUrl: "https://shop.example",
  onEvent: () => undefined,
});
let made = 0;
export const GET = charge({ price: "0.01" }, async (request, { params }, payment) => {
  const { city } = await params;
  return Response.json({ city, made: ++made, paidBy: payment.payer });
});
export const POST = charge({ price: "0.01", settle: "after-success" }, async (request) => {
  const body = await request.text();
  return new Response(body === "bad" ? "no" : body, { status: body === "bad" ? 422 : 200 });
});
export const OPTIONS = GET;
`;

/** A route whose price follows from the address, as its function and as its handler read it. */
const pricedHandler = `
import { farthing } from "../../farthing.js";
const charge = farthing({
  facilitator: { url: process.env.FACILITATOR_URL },
  payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
  onEvent: () => undefined,
});
const price = ({ url }, { nextUrl }) => {
  const { pathname, search, searchParams } = new URL(url);
  if (pathname !== nextUrl.pathname || search !== nextUrl.search) throw new Error("Two addresses");
  return searchParams.get("days") === "1" ? 1n : 30n;
};
const daysOf = ({ nextUrl }) => nextUrl.searchParams.get("days");
export const GET = charge({ price }, (request) => new Response(daysOf(request) + " days"));
`;

/** Builds the app and starts it. */
export async function startNextApp(facilitatorUrl: string) {
  const folder = await mkdtemp(join(tmpdir(), "farthing-next-"));
  const env = {
    ...process.env,
    // Vitest's own would make a half-developed build.
    NODE_ENV: "production" as const,
    NEXT_TELEMETRY_DISABLED: "1",
    FACILITATOR_URL: facilitatorUrl,
  };
  const signal = AbortSignal.timeout(startMsMax);
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    await writeApp(folder);
    // The bundler of Next.js that follows a linked node_modules.
    const flags = [next, "build", "--webpack"];
    await promisify(execFile)(process.execPath, flags, { cwd: folder, env, signal });
  } catch (error) {
    await remove();
    throw error;
  }
  const flags = [next, "start", "-H", "127.0.0.1", "-p", "0"];
  const server = spawn(process.execPath, flags, { cwd: folder, env, stdio: "pipe" });
  const ended = new Promise<void>((resolve) => server.once("close", () => resolve()));
  const stop = async (): Promise<void> => {
    server.kill();
    await ended;
    await remove();
  };
  try {
    return { url: await addressSaidBy(server, signal), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function writeApp(folder: string): Promise<void> {
  const handlers = join(folder, "app/report/[city]");
  await mkdir(handlers, { recursive: true });
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  await writeFile(join(folder, "package.json"), '{ "private": true, "type": "module" }');
  const layout = "export default ({ children }) => children;\n";
  await writeFile(join(folder, "app/layout.js"), layout);
  await writeFile(join(handlers, "route.js"), routeHandler);
  await writeFile(join(folder, "app/report/route.js"), pricedHandler);
  await build({
    entryPoints: [join(import.meta.dirname, "next.ts")],
    outfile: join(folder, "farthing.js"),
    bundle: true,
    format: "esm",
    platform: "node",
    conditions: ["@farthing/source"],
  });
}

function addressSaidBy(server: ReturnType<typeof spawn>, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = "";
    const hear = (text: Buffer): void => {
      said += text.toString();
      const address = /http:\/\/127\.0\.0\.1:[1-9]\d*/.exec(said);
      if (address && /Ready/.test(said)) resolve(address[0]);
    };
    server.stdout?.on("data", hear);
    server.stderr?.on("data", hear);
    const fail = () => reject(new Error(`Next.js did not start: ${said}`));
    server.once("close", fail);
    signal.addEventListener("abort", fail, { once: true });
  });
}
