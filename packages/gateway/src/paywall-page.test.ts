/** The page that browsers get with a 402 of the gateway: whose it is, and in which language. */
import { get, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { gatewayConfig, type Settings } from "./configuration/gateway-file.testing.ts";
import { startGateway } from "./gateway.ts";

const discovery = { title: "Reports" };

async function pageWith(paywall: Settings | undefined) {
  const listen = { http: "127.0.0.1:0" };
  const gateway = await startGateway({ config: gatewayConfig({ listen, discovery, paywall }) });
  onTestFinished(() => gateway.stop());
  const headers = { Accept: "text/html", "Accept-Language": "en" };
  // The fetch of Node.js says that it is no navigation.
  const asked = get(`${gateway.url}/paid`, { headers });
  const response = await new Promise<IncomingMessage>((resolve, reject) =>
    asked.on("response", resolve).on("error", reject),
  );
  expect(response.statusCode).toBe(402);
  return { policy: response.headers["content-security-policy"], html: await text(response) };
}

test("shows name, icon and language of the file", async () => {
  const icon = "https://weather.example/icon.png";
  const { policy, html } = await pageWith({ name: "Weather Ltd", icon, language: "es" });
  expect(html).toContain("Weather Ltd");
  expect(html).toContain('lang="es"');
  expect(html).toContain(icon);
  expect(policy).toContain(icon);
});

test("has the title of the API and the browser's language without them", async () => {
  const { html } = await pageWith(undefined);
  expect(html).toContain("Reports");
  expect(html).toContain('lang="en"');
});

test.each<[Settings, RegExp]>([
  [{ icon: "http://weather.example/icon.png" }, /paywall\.icon is "http:/],
  [{ icon: "https://weather.example/icon.png?x=1" }, /paywall\.icon is "https:/],
  [{ language: "de" }, /paywall\.language is "de"/],
  [{ name: "" }, /paywall\.name is ""/],
  [{ colour: "red" }, /paywall\.colour is no setting/],
])("%j is refused", (paywall, problem) => {
  expect(() => gatewayConfig({ paywall })).toThrow(problem);
});
