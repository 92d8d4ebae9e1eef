/**
 * A ledger in a file, for any number of processes on one machine: limits, pins and open payments
 * hold across all of them and across restarts.
 *
 * The file is JSON Lines, mode 0600 because it holds live signatures, and only appended to: a line
 * is on disk before the step that it allows. Writers hold an exclusive lock, which the system
 * releases when the process dies. A last line that a crash cut off allowed nothing yet and is
 * dropped; any other malformed line stops everything, because its statement about money is lost.
 * When most lines are outdated, a file with one line for each record replaces it.
 * @packageDocumentation
 */
import { createSerialQueue } from "@farthing/protocol";
import { constants, realpathSync } from "node:fs";
import { chmod, mkdir, open, rename, rm, type FileHandle } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { holdingLock } from "./file-lock.ts";
import { heardTokensFile } from "./heard-tokens-file.ts";
import { LedgerBook, settledKeptMax } from "./ledger-book.ts";
import {
  LedgerAccessError,
  LedgerFileError,
  newHeader,
  readHeader,
  readLine,
  writeLine,
  type Line,
} from "./ledger-lines.ts";
import {
  LedgerTransitionError,
  type ChannelChange,
  type Ledger,
  type LedgerRecord,
  type LedgerTransition,
  type Reservation,
  type ReserveOutcome,
  type ReserveRules,
} from "./ledger.ts";

export { LedgerAccessError, LedgerFileError } from "./ledger-lines.ts";
export { LedgerBusyError } from "./file-lock.ts";

/** Outdated lines before a file is replaced: some 250 payments. */
const spareLinesMax = 1000;

/**
 * Read or written at a time: some 400 payments. A text has at most 512 MiB, so as one text a file
 * would end at some 200,000 payments.
 */
const pieceBytes = 1024 * 1024;

/** For tests. */
export interface FileLedgerOptions {
  readonly pieceBytes?: number;
  readonly spareLinesMax?: number;
  readonly settledKeptMax?: number;
}

/**
 * Opens a ledger, which the first reservation creates. Calls reject with a `LedgerFileError` when
 * the file cannot be trusted, with a `LedgerBusyError` when it is locked for ten seconds, and with a
 * `LedgerAccessError` when the system refuses to read or write it.
 */
export function fileLedger(path: string, options: FileLedgerOptions = {}): Ledger {
  const file = new LedgerFile(realPath(path), options);
  return {
    ...heardTokensFile(realPath(path)),
    reserve: (reservation, rules) => file.write((book) => reserveLines(book, reservation, rules)),
    transition: (requestId, next) => file.write((book) => transitionLines(book, requestId, next)),
    find: (requestId) => file.read((book) => book.find(requestId)),
    usage: (scope, since) => file.read((book) => book.usage(scope, since)),
    pinnedPayee: (host, network) => file.read((book) => book.pinnedPayee(host, network)),
    list: (states) => file.read((book) => book.list(states)),
    changeChannels: (decide) => file.write((book) => channelLines(decide(book.channelsView()))),
    listChannels: () => file.read((book) => book.channels.list()),
  };
}

interface Change<T> {
  readonly lines: readonly Line[];
  readonly result: T;
}

function reserveLines(
  book: LedgerBook,
  reservation: Reservation,
  rules: ReserveRules,
): Change<ReserveOutcome> {
  const outcome = book.evaluate(reservation, rules);
  if (!outcome.ok) return { lines: [], result: outcome };
  const { host, network, payTo } = reservation;
  const pins: Line[] = rules.payeePin === "off" ? [] : [{ pin: { host, network, payTo } }];
  return { lines: [{ record: outcome.record }, ...pins], result: outcome };
}

function transitionLines(
  book: LedgerBook,
  requestId: string,
  next: LedgerTransition,
): Change<LedgerRecord> {
  const record = book.transitioned(requestId, next);
  const { ofNonce: _, ofAttempt: __, ...move } = next;
  return { lines: [{ move: { requestId, ...move } }], result: record };
}

function channelLines<T>({ put, pin, result }: ChannelChange<T>): Change<T> {
  const pins: Line[] = pin ? [{ pin }] : [];
  return { lines: put ? [{ channel: put }, ...pins] : pins, result };
}

/** The file and its contents. Operations run one at a time within this process. */
class LedgerFile {
  readonly #path: string;
  readonly #bounds: Required<FileLedgerOptions>;
  #book = new LedgerBook();
  /** The first line of the file that the book was read from; each replacement has another one. */
  #header = "";
  #offset = 0;
  #lineCount = 0;
  readonly #inTurn = createSerialQueue();

  constructor(path: string, options: FileLedgerOptions) {
    this.#path = path;
    this.#bounds = { pieceBytes, spareLinesMax, settledKeptMax, ...options };
  }

  /** Reads the book as the file is now. No lock is needed: complete lines never change. */
  read<T>(look: (book: LedgerBook) => T): Promise<T> {
    return this.#alone(async () => {
      const handle = await this.#openExisting();
      if (handle) await using(handle, () => this.#catchUp(handle));
      return look(this.#book);
    });
  }

  /** Decides on the newest state and appends the decision, all under the lock. */
  write<T>(decide: (book: LedgerBook) => Change<T>): Promise<T> {
    return this.#alone(async () => {
      await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
      return holdingLock(`${this.#path}.lock`, async () => {
        const handle = (await this.#openExisting()) ?? (await this.#create());
        const result = await using(handle, async () => {
          await this.#catchUp(handle);
          const change = decide(this.#book);
          if (change.lines.length > 0) await this.#append(handle, change.lines);
          return change.result;
        });
        await this.#compactIfWorth();
        return result;
      });
    });
  }

  #alone<T>(run: () => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      try {
        return await run();
      } catch (error) {
        throw isOfSystem(error) ? new LedgerAccessError(this.#path, error) : error;
      }
    });
  }

  async #openExisting(): Promise<FileHandle | undefined> {
    try {
      const handle = await open(this.#path, constants.O_RDWR);
      const { mode } = await handle.stat();
      // Copied or made by hand: only its owner may read signatures.
      if ((mode & 0o077) !== 0) await chmod(this.#path, 0o600);
      return handle;
    } catch (error) {
      const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
      if (!isMissing) throw error;
      // Its records have been relied on: without it limits and open payments would be forgotten.
      if (this.#header !== "") {
        throw new LedgerFileError(this.#path, "it was taken away while it was in use");
      }
      return undefined;
    }
  }

  async #create(): Promise<FileHandle> {
    await this.#replace([]);
    return open(this.#path, constants.O_RDWR);
  }

  /** Reads the new lines, or all of them when the file was replaced. */
  async #catchUp(handle: FileHandle): Promise<void> {
    const header = await readHeader(handle, this.#path);
    if (header !== this.#header) this.#startOver(header);
    const { size } = await handle.stat();
    if (size < this.#offset) throw new LedgerFileError(this.#path, "it was cut by another program");
    let length = this.#bounds.pieceBytes;
    while (this.#offset < size) {
      const bytes = await readUpTo(handle, this.#offset, Math.min(length, size - this.#offset));
      const end = bytes.lastIndexOf(newline) + 1;
      // The line that a crash has cut off.
      if (end === 0 && bytes.length < length) break;
      if (end === 0) length *= 2;
      for (const text of bytes.toString("utf8", 0, end).split("\n").slice(0, -1)) {
        this.#replay(text);
        this.#lineCount += 1;
      }
      this.#offset += end;
    }
  }

  #startOver(header: string): void {
    this.#book = new LedgerBook();
    this.#header = header;
    this.#offset = Buffer.byteLength(header);
    this.#lineCount = 0;
  }

  #replay(text: string): void {
    // The header is line 1.
    const number = this.#lineCount + 2;
    try {
      this.#apply(readLine(text, this.#path, number));
    } catch (cause) {
      if (!(cause instanceof LedgerTransitionError)) throw cause;
      throw new LedgerFileError(this.#path, `line ${number}: ${cause.message}`);
    }
  }

  #apply(line: Line): void {
    if ("pin" in line) return this.#book.pin(line.pin);
    if ("channel" in line) return this.#book.channels.put(line.channel);
    if ("record" in line) return this.#book.admit(line.record);
    const { requestId, ...transition } = line.move;
    this.#book.put(this.#book.transitioned(requestId, transition));
  }

  async #append(handle: FileHandle, lines: readonly Line[]): Promise<void> {
    const bytes = Buffer.from(lines.map(writeLine).join(""));
    // Removes the unfinished line of a crash; under the lock no process is writing.
    await handle.truncate(this.#offset);
    await writeAll(handle, bytes, this.#offset);
    await handle.sync();
    this.#offset += bytes.length;
    this.#lineCount += lines.length;
    for (const line of lines) this.#apply(line);
  }

  async #compactIfWorth(): Promise<void> {
    const { channels, pinCount, size } = this.#book;
    const needed = size + pinCount + channels.size;
    if (this.#lineCount <= 2 * needed + this.#bounds.spareLinesMax) return;
    this.#book.forget(Date.now(), this.#bounds.settledKeptMax);
    const records = this.#book.list().map((record) => ({ record: slim(record) }));
    const pins = this.#book.pins().map((pin) => ({ pin }));
    await this.#replace([...pins, ...channels.list().map((channel) => ({ channel })), ...records]);
  }

  async #replace(lines: readonly Line[]): Promise<void> {
    const next = `${this.#path}.new`;
    const header = newHeader();
    // A leftover file may have another mode, so it is not reused.
    await rm(next, { force: true });
    const handle = await open(next, "wx", 0o600);
    await using(handle, async () => {
      let at = await writeAll(handle, Buffer.from(header), 0);
      for (const text of piecesOf(lines, this.#bounds.pieceBytes)) {
        at = await writeAll(handle, Buffer.from(text), at);
      }
      await handle.sync();
    });
    await rename(next, this.#path);
    await syncFolder(dirname(this.#path));
  }
}

/** Resolves links: under a link's name the file would have another lock and successor. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // The file does not exist yet, or cannot be reached, which the first call reports.
    return resolve(path);
  }
}

/** Errors of files have codes such as ENOSPC; those of the lock's file have one code for all. */
function isOfSystem(error: unknown): error is Error {
  if (!(error instanceof Error) || !("code" in error)) return false;
  return /^(E[A-Z]+|ERR_SQLITE_ERROR)$/.test(String(error.code));
}

const newline = 0x0a;

/** A settled payment without what only a resend of an open one needs. */
function slim(record: LedgerRecord): LedgerRecord {
  if (record.state !== "settled" || record.request?.body === undefined) return record;
  const { body: _, ...request } = record.request;
  return { ...record, request };
}

/** Reads until the length or the end: one read may return fewer bytes. */
async function readUpTo(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  let at = 0;
  while (at < length) {
    const { bytesRead } = await handle.read(bytes, at, length - at, position + at);
    if (bytesRead === 0) break;
    at += bytesRead;
  }
  return bytes.subarray(0, at);
}

/** Joins lines to texts that each have as many characters or one line more. */
function* piecesOf(lines: readonly Line[], length: number): Generator<string> {
  let text = "";
  for (const line of lines) {
    text += writeLine(line);
    if (text.length < length) continue;
    yield text;
    text = "";
  }
  yield text;
}

/** Returns the position after the bytes. */
async function writeAll(handle: FileHandle, bytes: Buffer, position: number): Promise<number> {
  for (let at = 0; at < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, at, bytes.length - at, position + at);
    at += bytesWritten;
  }
  return position + bytes.length;
}

async function using<T>(handle: FileHandle, use: () => Promise<T>): Promise<T> {
  try {
    return await use();
  } finally {
    await handle.close();
  }
}

/** Makes a new name in the folder durable; systems that cannot open a folder do so themselves. */
async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY).catch(() => undefined);
  if (handle) await using(handle, () => handle.sync()).catch(() => {});
}
