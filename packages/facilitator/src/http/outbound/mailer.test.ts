/** A mail server that misbehaves: a mail has an end, whatever the server does. */
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { Secret } from "@farthing/engine/base";
import { expect, onTestFinished, test } from "vitest";
import { createMailer } from "./mailer.ts";

/** A server whose reply to the greeting goes on, line by line, until the connection is closed. */
async function startEndless() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.write("220 mail.example\r\n");
    const line = setInterval(() => socket.write("250-and more\r\n"), 20);
    socket.once("close", () => {
      clearInterval(line);
      sockets.delete(socket);
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return { url: new Secret(`smtp://127.0.0.1:${port}`), sockets };
}

test("a reply that never ends fails the mail and the check in time, and the connection is closed", async () => {
  const { url, sockets } = await startEndless();
  const from = { name: "", address: "notices@pay.example" };
  const mailer = createMailer({ url, from, mailTimeoutMs: 300 });
  const mail = { to: "anna@shop.example", subject: "s", text: "t", html: "<p>t</p>", id: "1" };
  const late = { kind: "failed", status: null, problem: "The mail server did not answer in time." };
  expect(await mailer.send(mail)).toEqual(late);
  await expect.poll(() => sockets.size).toBe(0);
  expect(await mailer.check()).toEqual(late);
});
