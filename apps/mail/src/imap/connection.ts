import { moveMessages, storeFlags } from './commands.js';
import { changesOf } from './looking.js';
import { headsOf, sourcesOf } from './fetching.js';
import { appendMessage, findMessage, removeMessage } from './filing.js';
import { ordinary, type ImapClient } from './imap-client.js';
import { foldersOf } from './listed-folders.js';
import type {
  Appended,
  Changes,
  Fetched,
  FlagChange,
  MessageUids,
  Head,
  SeenFolder,
  ListedFolder,
  Moved,
  RemoteMailbox,
  RemotePlace,
  Source,
} from './remote-mailbox.js';

/** A mailbox over one signed-in connection. */
export class ImapConnection implements RemoteMailbox {
  constructor(private readonly client: ImapClient) {}

  get isEncrypted(): boolean {
    return this.client.flow.secureConnection;
  }

  async list(): Promise<readonly ListedFolder[]> {
    return foldersOf(await this.client.within(ordinary, () => this.client.flow.list()));
  }

  changes(path: string, known: SeenFolder | null, horizon: Date | null): Promise<Changes> {
    return changesOf(this.client, path, known, horizon);
  }

  heads(path: string, uids: readonly number[]): Promise<Fetched<Head>> {
    return headsOf(this.client, path, uids);
  }

  sources(path: string, heads: readonly Head[]): Promise<Fetched<Source>> {
    return sourcesOf(this.client, path, heads);
  }

  store(place: RemotePlace, uids: readonly number[], change: FlagChange): Promise<boolean> {
    return storeFlags(this.client, place, uids, change);
  }

  move(
    place: RemotePlace,
    uids: readonly number[],
    to: string,
    areThere: boolean,
  ): Promise<Moved | null> {
    return moveMessages(this.client, place, uids, to, areThere);
  }

  find(path: string, messageId: string): Promise<MessageUids> {
    return findMessage(this.client, path, messageId);
  }

  append(path: string, raw: Buffer, at: Date): Promise<Appended | null> {
    return appendMessage(this.client, path, raw, at);
  }

  remove(path: string, message: Appended): Promise<void> {
    return removeMessage(this.client, path, message);
  }

  wait(path: string, ms: number): Promise<boolean> {
    return this.client.wait(path, ms);
  }

  wake(): void {
    this.client.wake();
  }

  close(): void {
    this.client.flow.close();
  }
}
