/** What the checker needs to know of a machine. A state is plain data: its JSON is its identity. */

export interface Step<State> {
  /** One line of a story, in the past tense. */
  readonly name: string;
  readonly to: State;
  /** Something that may happen and need not: a crash, a reorganisation. A fair path takes none of them. */
  readonly isFault: boolean;
}

export interface Machine<State> {
  readonly name: string;
  readonly initial: State;
  steps(state: State): Iterable<Step<State>>;
  /** The first promise that the state breaks. */
  broken(state: State): string | undefined;
  /** Whether nothing is pending. */
  isEnd(state: State): boolean;
  /** Whether a bound of the configuration keeps the state from going on. */
  isCut(state: State): boolean;
  /** The same state with its symmetrical parts exchanged; absent where the machine has none. */
  mirror?(state: State): State;
}
