/** The parsed arguments of a command. */
export interface CommandLine {
  /** The positional arguments. */
  readonly rest: readonly string[];
  /** `--name value`, by name. */
  readonly options: Readonly<Record<string, string>>;
  readonly env: NodeJS.ProcessEnv;
  /** For a command that runs until it is ended: prints a line at once. */
  readonly print?: (line: string) => void;
  /** Ends such a command. */
  readonly signal?: AbortSignal;
}

/** One of the operator's commands. */
export interface Command {
  /** Its name on the command line. */
  readonly words: readonly string[];
  readonly usage: string;
  /**
   * @returns the lines that it prints
   * @throws UsageError when its arguments are wrong
   */
  run(line: CommandLine): Promise<readonly string[]>;
}

/** The arguments of a command are wrong: its usage is printed after the message, which says what is wrong. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  /** Whose they are; null while that is not known. */
  command: Command | null = null;

  of(command: Command): this {
    this.command = command;
    return this;
  }
}
