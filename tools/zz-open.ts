import { mkdtempSync } from "node:fs"; import { tmpdir } from "node:os"; import { join } from "node:path";
import { createStore } from "../packages/facilitator/src/features/open-store.ts";
