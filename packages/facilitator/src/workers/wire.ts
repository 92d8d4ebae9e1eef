/**
 * The line between the main process and a worker: JSON texts over a pair of sockets. The messages of
 * a turn of the event loop share one text and one write, because under load each of both costs more
 * than the message.
 */
import type { Socket } from "node:net";

export interface Wire<Out> {
  /** Sends a message with the others of this turn. */
  send(message: Out): void;
}

/** Takes the messages of a turn. */
export type Receive<In> = (messages: readonly In[]) => void;

/** The other end is this program too, so what arrives has the form that it was sent in. */
export function openWire<In, Out>(socket: Socket, receive: Receive<In>): Wire<Out> {
  let waiting: Out[] = [];
  let begun = "";
  // The end of the other process is noticed where processes are watched.
  socket.on("error", () => undefined);
  socket.setEncoding("utf8");
  socket.on("data", (chunk: string) => {
    // JSON texts contain no line feed.
    const lines = chunk.split("\n");
    lines[0] = begun + (lines[0] ?? "");
    begun = lines.pop() ?? "";
    for (const line of lines) receive(JSON.parse(line));
  });

  function flush(): void {
    const messages = waiting;
    waiting = [];
    if (socket.writable) socket.write(`${JSON.stringify(messages)}\n`);
  }

  return {
    send(message) {
      // After the input of this turn was read, which is when most messages are made.
      if (waiting.length === 0) setImmediate(flush);
      waiting.push(message);
    },
  };
}
