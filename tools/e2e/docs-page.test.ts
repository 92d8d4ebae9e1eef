/** The reference at /docs as a browser shows it: by its own policy, and with every operation. */
import { isObject } from "@farthing/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findBarriers, views, widthOver } from "./axe.testing.ts";
import { describeInBrowser } from "./chromium.testing.ts";
import { openWindow, startStage, type Stage } from "./dashboard-stage.testing.ts";
