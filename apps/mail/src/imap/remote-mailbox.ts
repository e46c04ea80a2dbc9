import type { FolderRole } from '@postroom/contracts';

/** A larger message is read by its header alone. */
export const sourceBytesMax = 50 * 1024 * 1024;

/** A folder as its server lists it. */
export interface ListedFolder {
  readonly path: string;
  readonly delimiter: string;
  /** The role that the server names, or that its name is known for. */
  readonly role: FolderRole;
}

/** The numbers of a folder at one moment (RFC 9051 §2.3.1). Large ones are texts. */
export interface FolderNumbers {
  readonly uidValidity: string;
  readonly uidNext: number;
  /** Null where the server counts no changes (RFC 7162). */
  readonly highestModseq: string | null;
  /** Messages in it. */
  readonly counted: number;
}

/** The numbers of a folder when it was last looked at, and what is asked beside what is new. */
export interface Since extends FolderNumbers {
  /** The lowest UID that is known. */
  readonly readFrom: number;
  /** True to read all flags, if the server cannot list those that changed. */
  readonly allFlags: boolean;
}

/** The flags of a message, which may have changed. */
export interface Flagged {
  readonly uid: number;
  readonly flags: readonly string[];
  readonly modseq: string | null;
}

/** The changes of a folder. The numbers are those from before the rest was asked for. */
export interface Changes {
  readonly numbers: FolderNumbers;
  /** UIDs that are there, ascending: those since the numbers that were given, or all of the horizon. */
  readonly uids: readonly number[];
  /** UIDs that the server says are gone. */
  readonly vanished: readonly number[];
  /** All UIDs from the lowest known one that are there; null where they were not asked for, or not told completely. */
  readonly present: readonly number[] | null;
}

/** A message as its server describes it. */
export interface Head extends Flagged {
  readonly sizeBytes: number;
  /** The server's internal date. */
  readonly receivedAt: Date | null;
  readonly messageId: string | null;
}

/** A message as it was fetched. */
export interface Source extends Head {
  readonly raw: Buffer;
  /** False for one over 50 MiB: its bytes are its header alone. */
  readonly isWhole: boolean;
}

/** Messages that came, and UIDs that were asked for and did not. */
export interface Fetched<T> {
  readonly came: readonly T[];
  readonly missing: readonly number[];
  /** The fault that ended it, if one did. */
  readonly fault?: Error;
}

/** A folder, and under which validity UIDs of it are meant. */
export interface RemotePlace {
  readonly path: string;
  readonly uidValidity: string;
}

/** Flags that messages are to have, and are not to have. */
export interface FlagChange {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

/** The UIDs of moved messages, before and after; null if the server does not say where they are now. */
export interface Moved {
  readonly uidValidity: string | null;
  readonly pairs: readonly (readonly [from: number, to: number | null])[];
}

/** The place of a message that was written, as the server says it. */
export interface Appended {
  readonly uidValidity: string;
  readonly uid: number;
}

/** UIDs of messages under one Message-ID. */
export interface MessageUids {
  readonly uidValidity: string;
  readonly uids: readonly number[];
}

/** Takes flags that may have changed: some at a time, while the rest is read. */
export type KeepFlags = (flagged: readonly Flagged[]) => Promise<void>;

/** A folder that was looked at before. */
export interface SeenFolder {
  readonly since: Since;
  readonly keepFlags: KeepFlags;
}

/** A mailbox at its server. */
export interface RemoteMailbox {
  list(): Promise<readonly ListedFolder[]>;
  /** @param known null for a folder that was not seen before: what is there since the horizon is answered */
  changes(path: string, known: SeenFolder | null, horizon: Date | null): Promise<Changes>;
  heads(path: string, uids: readonly number[]): Promise<Fetched<Head>>;
  sources(path: string, heads: readonly Head[]): Promise<Fetched<Source>>;
  /** @param messageId without angle brackets */
  find(path: string, messageId: string): Promise<MessageUids>;
  /**
   * Writes a message, which counts as read.
   * @returns null if the server does not say where it is
   * @throws ChangeRefused
   */
  append(path: string, raw: Buffer, at: Date): Promise<Appended | null>;
  /** Deletes a message, if the server can delete it alone. */
  remove(path: string, message: Appended): Promise<void>;
  /**
   * Changes flags of messages.
   * @returns false if nothing is known of it: the UIDs have begun anew
   * @throws ChangeRefused
   */
  store(place: RemotePlace, uids: readonly number[], change: FlagChange): Promise<boolean>;
  /**
   * Moves messages to another folder.
   * @param areThere they have been copied there before
   * @returns null if nothing is known of it: the UIDs have begun anew
   * @throws ChangeRefused
   */
  move(
    place: RemotePlace,
    uids: readonly number[],
    to: string,
    areThere: boolean,
  ): Promise<Moved | null>;
  /**
   * Resolves when something has happened in a folder, at `wake`, or after `ms`.
   * @returns true if something has happened
   */
  wait(path: string, ms: number): Promise<boolean>;
  /** Ends a wait. */
  wake(): void;
  close(): void;
}
