/** The facilitator of a run, in a process of its own that can be killed; says where it listens. */
import { createLog, readConfig, startFacilitator } from "@farthing/facilitator";
import { followClockFile } from "./stepped-clock.ts";
import {
  clockFileName,
  createVirtualClock,
  surfaceName,
  speedName,
  startName,
} from "./virtual-time.ts";

const {
  [startName]: startedAt,
  [speedName]: speed,
  [surfaceName]: servedSurface,
  [clockFileName]: clockFile = "",
  ...env
} = process.env;
const facilitator = await startFacilitator({
  config: readConfig({ env }),
  selfBuilt: servedSurface === "self-built",
  clock: createVirtualClock(
    { startedAtMs: Number(startedAt), speed: Number(speed) },
    followClockFile(clockFile),
  ),
  log: createLog("info", process.stderr),
});
process.stdout.write(`${facilitator.url}\n`);
process.once("SIGTERM", () => void facilitator.stop());
