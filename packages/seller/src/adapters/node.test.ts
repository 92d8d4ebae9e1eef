/** The adapter for node:http: the promises of a seller, and what only it can get wrong. */
import { describe, expect, test } from "vitest";
import { listen } from "./listen.testing.ts";
import { farthing } from "./node.ts";
import { useScene, type Listen } from "../scene.testing.ts";
import { sellerSuite } from "../seller.suite.ts";

const serve: Listen = (options, route, app) =>
  listen(
    farthing(options)(route, async (req, res, payment) => {
      let text = "";
      for await (const chunk of req) text += String(chunk);
      const { status = 200, headers = {}, body = "" } = await app({ body: text, payment });
      res.writeHead(status, headers).end(body);
    }),
  );

sellerSuite("node", serve);

const price = () => Promise.reject(new Error("no database"));

describe("node: what only node:http can get wrong", () => {
  const at = useScene(serve);

  test("a price that breaks is an error of the server, and tells nobody why", async () => {
    const url = await at.start(undefined, {}, { price });
    const response = await fetch(url);
    expect([response.status, await response.text()]).toEqual([500, "Internal Server Error\n"]);
  });
});
