/** What a command is given on its line. */
export interface CommandLine {
  /** The words after its own. */
  readonly rest: readonly string[];
  /** `--name value`, by name. */
  readonly options: Readonly<Record<string, string>>;
  readonly env: NodeJS.ProcessEnv;
}

/** One of the operator's commands. */
export interface Command {
  /** What it is called by. */
  readonly words: readonly string[];
  readonly usage: string;
  /**
   * @returns the lines that it prints
   * @throws UsageError when it was called in a way that it does not understand
   */
  run(line: CommandLine): Promise<readonly string[]>;
}

/** The way a command was called is not one of its ways: its usage is the answer. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
