/** The operator's list of addresses that are not served, in a file that is reread when it changes. */
import { readFile, stat } from "node:fs/promises";
import { parseAddress, printableLine, type Address } from "@farthing/protocol";
import { Fault, messageOf, startPoll, type Runtime } from "@farthing/engine/base";

export interface DenyList {
  has(address: Address): boolean;
  /** Rereads the file when it changes; a list with a mistake leaves the present one in force. */
  watch(): { stop(): Promise<void> };
}

/** An address that is added is refused a few seconds later. */
const pollMs = 5_000;

/** Sanctions lists have hundreds of addresses; this has room for 150,000. */
const maxFileBytes = 8 * 1024 * 1024;

/** Enough of a wrong line to find it. */
const shownChars = 60;

/** Reads the list; throws the fault `configuration` when it cannot be read or has a wrong line. */
export async function openDenyList(path: string, { clock, log }: Runtime): Promise<DenyList> {
  let addresses: ReadonlySet<string>;
  let version = await readVersion(path);
  try {
    addresses = await readAddresses(path);
  } catch (error) {
    const message = `FARTHING_DENY_LIST_FILE: ${messageOf(error)}`;
    throw new Fault("configuration", message, { retryable: false, cause: error });
  }

  async function reread(): Promise<void> {
    const now = await readVersion(path);
    if (now === version) return;
    version = now;
    try {
      addresses = await readAddresses(path);
      const fields = { event: "deny_list_loaded", addresses: addresses.size };
      log.info(fields, "Deny list loaded");
    } catch (error) {
      const fields = { event: "deny_list_rejected", problem: messageOf(error) };
      log.error(fields, "Deny list rejected; the previous one stays in force");
    }
  }

  return {
    has: (address) => addresses.has(address.toLowerCase()),
    watch: () => startPoll({ clock, pauseMs: pollMs }, reread),
  };
}

/** Differs when the file was written or replaced. */
async function readVersion(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  return found ? `${found.ino} ${found.size} ${found.mtimeMs}` : "absent";
}

/** Throws an error that names the file's problem, or its first wrong line. */
async function readAddresses(path: string): Promise<ReadonlySet<string>> {
  const { size } = await stat(path);
  if (size > maxFileBytes) throw new Error(`${path} is larger than ${maxFileBytes} bytes.`);
  const lines = (await readFile(path, "utf8")).split(/\r?\n/);
  const addresses = new Set<string>();
  for (const [index, line] of lines.entries()) {
    const text = line.replace(/#.*$/, "").trim();
    if (text === "") continue;
    const address = parseAddress(text);
    if (!address) {
      const shown = printableLine(text.slice(0, shownChars));
      throw new Error(`${path}, line ${index + 1}: ${shown} is not an address (0x… or xdc…).`);
    }
    addresses.add(address.toLowerCase());
  }
  return addresses;
}
