/** A process that logs more than anybody reads: sixteen MB, and a line after all was read. */
import { createLog } from "@farthing/engine/base";
import { createGatewayLog } from "@farthing/gateway";

const log = process.argv[2] === "gateway" ? createGatewayLog() : createLog("info");
const text = "x".repeat(1_000);
for (let line = 0; line < 16_000; line++) log.info({ event: "planted", text }, "Planted");
process.stdout.once("drain", () => log.info({ event: "planted" }, "Planted"));
process.stderr.write("written\n");
