/** A check of /ready. */
export interface ReadyCheck {
  /** `database`, or a network. */
  readonly name: string;
  readonly ok: boolean;
  readonly text?: string;
}
