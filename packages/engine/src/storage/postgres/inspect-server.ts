/** Looks at the server behind a URL, on connections of its own that change nothing in their session. */
import { randomBytes } from "node:crypto";
import { systemClock } from "../../base/clock.ts";
import { lostNewsCode } from "../database-problem.ts";
import type { ServerInspection } from "../dialect.ts";
import type { Connections } from "./connections.ts";

/**
 * A notification comes within milliseconds of its commit; a machine that takes longer than this,
 * in milliseconds, is too busy to serve.
 */
const newsMsMax = 3_000;

export function createServerInspection({ connect }: Connections): ServerInspection {
  return {
    async describe() {
      const client = await connect();
      try {
        const { rows } = await client.query<{ mode: string; standby: boolean }>(
          "select current_setting('transaction_read_only') as mode, pg_is_in_recovery() as standby",
        );
        const [row] = rows;
        const isReadOnly = row?.mode === "on";
        return { name: client.server.name, isReadOnly, isStandby: row?.standby === true };
      } finally {
        void client.end();
      }
    },
    async checkNews() {
      const [listener, sender] = await Promise.all([connect(), connect()]);
      const heard = new AbortController();
      const channel = `farthing_check_${randomBytes(6).toString("hex")}`;
      listener.on("notification", (news) => {
        if (news.channel === channel) heard.abort();
      });
      try {
        await listener.query(`listen ${channel}`);
        await sender.query(`notify ${channel}`);
        await systemClock.sleep(newsMsMax, heard.signal);
      } finally {
        void listener.end();
        void sender.end();
      }
      if (heard.signal.aborted) return;
      throw Object.assign(new Error("A notification did not arrive"), { code: lostNewsCode });
    },
  };
}
