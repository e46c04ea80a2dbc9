import type { Attachment, UploadAnswer } from '@postroom/contracts';
import { useCallback, useEffect, useRef, useState } from 'react';
import { download, upload } from '../api/upload.js';
import type { DraftSession } from './draft-session.js';
import { sizeText } from './words.js';

/** Base64 characters of all files of a message, as the API bounds them; four for each three bytes. */
const charactersMax = 26_214_400;
const filesMax = 50;
const bytesMax = (charactersMax / 4) * 3;

/** A name that the API takes: no path, no control characters. */
const fileName = (name: string): string =>
  name
    .replace(/[\p{Cc}/\\]/gu, '_')
    .slice(0, 255)
    .trim() || 'file';

/** A file to upload: one of the member's, or of a message that is forwarded. */
export interface FileSource {
  readonly name: string;
  readonly size: number;
  readonly read: (signal: AbortSignal) => Promise<Blob>;
}

const sourceOf = (file: File): FileSource => ({
  ...{ name: file.name, size: file.size, read: () => Promise.resolve(file) },
});

/** A file of a message; the API has no way to name it in another, so it is read and uploaded. */
export const attachedSource = (
  { id, filename, size, mimeType }: Attachment,
  mailbox: string,
): FileSource => ({
  ...{ name: filename ?? 'file', size },
  read: async (signal) => {
    const file = await download(`/v1/attachments/${id}`, { mailbox }, signal);
    return new Blob([file], { type: mimeType });
  },
});

/** A file on its way to the server, or one that did not arrive. */
export interface FileOnItsWay {
  readonly id: string;
  readonly source: FileSource;
  /** The share of it that has arrived, from 0 to 1. */
  readonly share: number;
  readonly error: unknown;
  readonly stop: () => void;
}

export interface Uploads {
  readonly files: readonly FileOnItsWay[];
  readonly isBusy: boolean;
  /** Why files were not taken, before anything of them was sent. */
  readonly refusal: string | null;
  readonly add: (files: readonly File[]) => void;
  readonly addFrom: (sources: readonly FileSource[]) => void;
  readonly remove: (id: string) => void;
  readonly retry: (file: FileOnItsWay) => void;
}

/** Files that are uploaded apart, each with its progress, and then named in the draft. */
export function useUploads(session: DraftSession): Uploads {
  const [files, setFiles] = useState<readonly FileOnItsWay[]>([]);
  const [refusal, setRefusal] = useState<string | null>(null);
  const latest = useRef(files);
  useEffect(() => {
    latest.current = files;
  }, [files]);
  const remove = useCallback((id: string) => {
    setFiles((all) => all.filter((one) => one.id !== id));
  }, []);
  const begin = useCallback(
    (source: FileSource) => {
      const id = crypto.randomUUID();
      const patch = (change: Partial<FileOnItsWay>): void =>
        setFiles((all) => all.map((one) => (one.id === id ? { ...one, ...change } : one)));
      const { mailbox } = session.get().content;
      const query = { mailbox, filename: fileName(source.name) };
      const ending = new AbortController();
      const send = (file: Blob): Promise<UploadAnswer> => {
        const { done, stop } = upload<UploadAnswer>('/v1/attachments', query, file, (sent) =>
          patch({ share: sent / Math.max(1, file.size) }),
        );
        ending.signal.addEventListener('abort', stop);
        return done;
      };
      const stop = (): void => ending.abort();
      setFiles((all) => [...all, { id, source, share: 0, error: null, stop }]);
      const uploaded = source.read(ending.signal).then(send);
      uploaded.then(
        (answer) => {
          remove(id);
          const { attachments } = session.get().content;
          session.change({ attachments: [...attachments, answer.upload] });
        },
        (error: unknown) => (ending.signal.aborted ? remove(id) : patch({ error })),
      );
    },
    [session, remove],
  );
  const addFrom = useCallback(
    (more: readonly FileSource[]) => {
      const why = refusalOf(more, session, latest.current);
      setRefusal(why);
      if (why === null) more.forEach(begin);
    },
    [session, begin],
  );
  const add = useCallback((more: readonly File[]) => addFrom(more.map(sourceOf)), [addFrom]);
  const retry = useCallback(
    ({ id, source }: FileOnItsWay) => {
      remove(id);
      begin(source);
    },
    [remove, begin],
  );
  const isBusy = files.some(({ error }) => error === null);
  return { files, isBusy, refusal, add, addFrom, remove, retry };
}

/** Too many or too large files are told before the first byte goes out. */
function refusalOf(
  more: readonly FileSource[],
  session: DraftSession,
  underWay: readonly FileOnItsWay[],
): string | null {
  const present = [
    ...session.get().content.attachments.map(({ size }) => size),
    ...underWay.map(({ source }) => source.size),
  ];
  const total = [...present, ...more.map(({ size }) => size)].reduce((sum, one) => sum + one, 0);
  if (total > bytesMax)
    return `Too large: a message takes ${sizeText(bytesMax)} of files, and these would be ${sizeText(total)}.`;
  return present.length + more.length > filesMax ? `A message takes ${filesMax} files.` : null;
}
