/** The facilitator as a process of its own, as `farthing serve --self-built` runs it. */
import { serve } from "../../src/main.ts";

await serve({ selfBuilt: true });
