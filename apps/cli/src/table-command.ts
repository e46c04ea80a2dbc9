/** An option of a command: a field of the operation. */
export interface TableOption {
  readonly name: string;
  readonly kind: 'text' | 'number' | 'flag' | 'list' | 'files' | 'json';
  readonly about: string;
  readonly isRequired?: boolean;
  readonly isNullable?: boolean;
  readonly choices?: readonly string[];
}

/** A command that calls an operation of the public API. */
export interface TableCommand {
  readonly family: string;
  readonly name: string;
  readonly summary: string;
  readonly scope?: string;
  /** A read when not said. */
  readonly effect?: 'write' | 'send';
  /** Types of the events that it causes. */
  readonly emits?: readonly string[];
  readonly isPaged?: boolean;
  readonly isFile?: boolean;
  /** Arguments, which are part of the address. */
  readonly places: readonly { readonly name: string; readonly about: string }[];
  readonly options: readonly TableOption[];
  /** As it is typed. */
  readonly example: string;
}

/** `calendarEvents` is written `calendar-events`. */
export const kebab = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
