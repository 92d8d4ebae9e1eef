/** The Express adapter: the promises of a seller, and what only Express can get wrong. */
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import {
  decodeHeader,
  defined,
  headerNames,
  parseChallenge,
  readReceipt,
} from "@farthing/protocol";
import express, {
  type Express,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from "express";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { payFor } from "../buyer.testing.ts";
import { farthing } from "./express.ts";
import { listen, rawRequest, sendRaw, type Listening } from "./listen.testing.ts";
import {
  startScriptedFacilitator,
  type ScriptedFacilitator,
} from "../scripted-facilitator.testing.ts";
import { payTo } from "../scene.testing.ts";
import { sellerSuite } from "../seller.suite.ts";

/** Without `env`, Express writes the errors of its handlers to the console. */
function quietApp(): Express {
  return express().set("env", "test");
}

sellerSuite("express", (options, route, app) => {
  const web = quietApp();
  const answer = async (req: Request, res: Response): Promise<void> => {
    const body: unknown = req.body;
    if (!req.payment) throw new Error("No payment.");
    const request = { body: typeof body === "string" ? body : "", payment: req.payment };
    const { status = 200, headers = {}, body: text = "" } = await app(request);
    res.status(status);
    for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
    res.end(text);
  };
  const respond = async (req: Request, res: Response, next: NextFunction): Promise<void> => {
    try {
      await answer(req, res);
    } catch (error) {
      next(error);
    }
  };
  web.use(farthing(options)(route), express.text({ type: () => true }), (req, res, next) => {
    void respond(req, res, next);
  });
  return listen(web);
});

let facilitator: ScriptedFacilitator;
let running: Listening | undefined;

beforeEach(async () => {
  facilitator = await startScriptedFacilitator();
});
afterEach(async () => {
  await running?.close();
  await facilitator.close();
});

/** The amount that a challenge asks for, in base units. */
function amountIn(headers: Headers): string | undefined {
  const parsed = parseChallenge(
    decodeHeader(headers.get(headerNames.paymentRequired) ?? "")?.value,
  );
  return parsed.ok ? parsed.value.entries[0]?.requirements.amount.toString() : undefined;
}

const charge = (publicUrl?: string) =>
  farthing({
    ...defined({ publicUrl }),
    facilitator: { url: facilitator.url },
    payTo,
    price: "0.01",
    onEvent: () => undefined,
  })();

async function start(build: (web: Express) => void): Promise<string> {
  const web = quietApp();
  build(web);
  running = await listen(web);
  return `${running.url}/report`;
}

describe("express: every way to answer is caught and kept", () => {
  const ways: [string, RequestHandler, string][] = [
    ["json", (_req, res) => void res.json({ a: 1 }), '{"a":1}'],
    ["send", (_req, res) => void res.send("text"), "text"],
    [
      "write and end",
      (_req, res) => {
        res.writeHead(200, "Fine", { "X-Head": "1" });
        res.write("YQ==", "base64");
        res.write(new Uint8Array([98]));
        res.end("c");
      },
      "abc",
    ],
    [
      "writeHead with a list",
      (_req, res) => void res.writeHead(200, ["X-Head", "1"]).end("d"),
      "d",
    ],
    ["flushed headers", (_req, res) => (res.flushHeaders(), void res.end("e")), "e"],
  ];
  test.each(ways)("%s", async (_way, handler, expected) => {
    const url = await start((web) => web.get("/report", charge(), handler));
    const headers = await payFor(url);
    for (const isReplay of [null, "true"]) {
      const response = await fetch(url, { headers });
      expect([response.status, await response.text()]).toEqual([200, expected]);
      expect(response.headers.get("X-Payment-Replayed")).toBe(isReplay);
      expect(readReceipt(response.headers)?.success).toBe(true);
      if (_way.startsWith("write")) expect(response.headers.get("X-Head")).toBe("1");
    }
  });

  test.each<[string, RequestHandler]>([
    ["sendFile", (_req, res) => res.sendFile(import.meta.filename)],
    ["pipe", (_req, res) => void createReadStream(import.meta.filename).pipe(res)],
  ])("%s", async (_way, handler) => {
    const url = await start((web) => web.get("/report", charge(), handler));
    const headers = { ...(await payFor(url)), "If-None-Match": "*", Range: "bytes=0-3" };
    const expected = await readFile(import.meta.filename, "utf8");
    for (let time = 0; time < 2; time++) {
      const response = await fetch(url, { headers });
      expect([response.status, await response.text()]).toEqual([200, expected]);
    }
  });

  test("more than fits in memory flows through with its pauses", async () => {
    const chunk = "x".repeat(256 * 1024);
    const chunks = 24;
    let pauses = 0;
    const url = await start((web) =>
      web.get("/report", charge(), async (_req, res) => {
        for (let sent = 0; sent < chunks; sent++) {
          if (res.write(chunk)) continue;
          pauses++;
          await new Promise((resume) => res.once("drain", resume));
        }
        res.end();
      }),
    );
    const response = await fetch(url, { headers: await payFor(url) });
    expect((await response.text()).length).toBe(chunk.length * chunks);
    expect(pauses).toBeGreaterThan(0);
  });

  test("a stream that breaks is made again by the repeat", async () => {
    let runs = 0;
    const url = await start((web) =>
      web.get("/report", charge(), (_req, res, next) => {
        if (++runs > 1) {
          res.send("whole");
        } else {
          res.write("half");
          next(new Error("lost the source"));
        }
      }),
    );
    const headers = await payFor(url);
    await expect(fetch(url, { headers })).rejects.toThrow();
    const again = await fetch(url, { headers });
    expect([again.status, await again.text(), runs]).toEqual([200, "whole", 2]);
  });

  // With an address of its own a seller writes most challenges without the Fetch API.
  test.each([undefined, "https://api.example.com"])(
    "headers of middleware before the charge stay: public address %s",
    async (publicUrl) => {
      const url = await start((web) => {
        web.use((_req, res, next) => {
          res.setHeader("Vary", "Origin");
          res.setHeader("Access-Control-Allow-Origin", "https://app.example");
          res.setHeader("X-Before", "1");
          next();
        });
        web.get(
          "/report",
          charge(publicUrl),
          (_req, res) => void res.cookie("a", "1").cookie("b", "2").json(1),
        );
      });
      const unpaid = await fetch(url);
      const paid = await fetch(url, { headers: await payFor(url) });
      for (const { headers } of [unpaid, paid]) {
        expect(headers.get("Vary")).toMatch(
          /^Origin, (Accept, Accept-Language, Cookie, )?PAYMENT-SIGNATURE, X-PAYMENT$/,
        );
        expect(headers.get("Access-Control-Allow-Origin")).toBe("https://app.example");
        expect(headers.get("X-Before")).toBe("1");
      }
      expect(paid.headers.getSetCookie()).toEqual(["a=1; Path=/", "b=2; Path=/"]);
    },
  );
});

const post = (body: string, headers: Record<string, string> = {}) => ({
  method: "POST",
  body,
  headers: { "Content-Type": "application/json", ...headers },
});
const echo: RequestHandler = (req, res) => void res.json({ got: req.body as unknown });
const readRawBody: RequestHandler = (req, _res, next) => {
  req.once("data", (bytes: Buffer) => Object.assign(req, { rawBody: bytes }));
  req.once("end", () => next());
};
const parseRawBody: RequestHandler = (req, _res, next) => {
  req.body = JSON.parse(String(Reflect.get(req, "rawBody")));
  next();
};
const keepRawBody = (req: object, _res: unknown, bytes: Buffer) =>
  void Object.assign(req, { rawBody: bytes });

describe("express: the body binds the payment", () => {
  test.each<[string, (web: Express) => void]>([
    ["before express.json()", (web) => web.post("/report", charge(), express.json(), echo)],
    ["after express.json()", (web) => web.post("/report", express.json(), charge(), echo)],
    [
      "after a reader that keeps rawBody only",
      (web) => {
        web.post("/report", readRawBody, charge(), parseRawBody, echo);
      },
    ],
    [
      "after a parser that keeps rawBody",
      (web) => {
        web.post("/report", express.json({ verify: keepRawBody }), charge(), echo);
      },
    ],
  ])("%s", async (_case, build) => {
    const url = await start(build);
    const headers = await payFor(url, { method: "POST" });
    const response = await fetch(url, post('{"a":1}', headers));
    expect(await response.json()).toEqual({ got: { a: 1 } });
    const again = await fetch(url, post('{"a":1}', headers));
    expect(await again.json()).toEqual({ got: { a: 1 } });
    expect(again.headers.get("X-Payment-Replayed")).toBe("true");
    expect((await fetch(url, post('{"a":2}', headers))).status).toBe(409);
  });

  test("of any size within the bound is handed on", async () => {
    const url = await start((web) =>
      web.post("/report", charge(), express.text({ limit: "2mb" }), echo),
    );
    const body = "b".repeat(900_000);
    const headers = { ...(await payFor(url, { method: "POST" })), "Content-Type": "text/plain" };
    const response = await fetch(url, post(body, headers));
    expect(await response.json()).toEqual({ got: body });
  });

  test("that is gone is the app's mistake, and costs nothing", async () => {
    const url = await start((web) => {
      web.post("/report", (req, _res, next) => void req.resume().once("end", next), charge(), echo);
    });
    const headers = await payFor(url, { method: "POST" });
    expect((await fetch(url, post("x", headers))).status).toBe(500);
    expect(facilitator.calls).toEqual([]);
  });
});

test("express: a price sees what Express has made of the query", async () => {
  const url = await start((web) => {
    const sold = farthing({
      facilitator: { url: facilitator.url },
      payTo,
      price: (_request, req) => ("hd" in req.query ? "0.05" : "0.01"),
    });
    web.set("query parser", "extended");
    web.get("/report", sold(), (req, res) => void res.send(req.query["hd"] ? "HD" : "SD"));
  });
  for (const query of ["?hd=1", "?hd[]=1", "?hd[a]=1", "?hd%5B%5D=1"]) {
    const { headers } = await fetch(url + query);
    expect([query, amountIn(headers)]).toEqual([query, "50000"]);
  }
  expect(amountIn((await fetch(url)).headers)).toBe("10000");
});

test("express: under a mounted router the challenge names the whole address", async () => {
  const seen: string[] = [];
  const url = await start((web) => {
    const sold = farthing({
      facilitator: { url: facilitator.url },
      payTo,
      price(request, req) {
        seen.push(new URL(request.url).pathname, req.url, req.baseUrl);
        return "0.01";
      },
    });
    web.use(
      "/api",
      express.Router().use(sold(), (_req, res) => void res.send("sold")),
    );
  });
  const inner = url.replace("/report", "/api/report?days=1");
  expect(await (await fetch(inner)).json()).toMatchObject({ accepts: [{ resource: inner }, {}] });
  expect(seen).toEqual(["/api/report", "/report?days=1", "/api"]);
  // The router would leave a target that names a host.
  const { status } = await sendRaw(url, rawRequest("GET /api//shop.example/report"));
  expect([status, seen.length]).toEqual([400, 3]);
});

test("express: the handler runs for nobody who did not pay", async () => {
  let runs = 0;
  const url = await start((web) => web.get("/report", charge(), () => void runs++));
  const response = await fetch(url, { headers: { [headerNames.xPayment]: "e30=" } });
  expect([response.status, runs]).toEqual([402, 0]);
});

test("the books name the route as Express does, below where its router is mounted", async () => {
  const router = express.Router();
  router.get("/reports/:id", charge(), (_req, res) => void res.send("report"));
  const at = new URL(await start((web) => web.use("/v1", router))).origin;
  const url = `${at}/v1/reports/7`;
  expect((await fetch(url, { headers: await payFor(url) })).status).toBe(200);
  const settled = facilitator.calls.find(({ operation }) => operation === "settle");
  expect(settled?.books).toEqual({ route: "GET /v1/reports/:id" });
});
