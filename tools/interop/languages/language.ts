/** What a language of the run consists of. */

/** A program of a language: the command, and what it is told beside the usual settings. */
export interface Program {
  readonly name: string;
  readonly command: readonly string[];
  readonly settings: Readonly<Record<string, unknown>>;
}

/** A seller, with the version of x402 that it speaks. */
export interface SellingProgram extends Program {
  readonly x402Version: 1 | 2;
}

/** The installed programs of a language. */
export interface Programs {
  readonly buyers: readonly Program[];
  readonly sellers: readonly SellingProgram[];
}

/** A page whose programs need a toolchain, which it names at its top. */
export interface Guide {
  readonly path: string;
  readonly toolchain: "python" | "go";
}

/** A language that is tried where its toolchain is there. */
export interface Language {
  readonly name: string;
  /** What was tried, for the reference page. */
  readonly packages: readonly string[];
  readonly guide?: Guide;
  /** Returns why the language is left out on this machine; undefined where it runs. */
  missing(): string | undefined;
  install(): Promise<Programs>;
}
