import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { isId } from '@postroom/contracts';
import { SetupError } from '@postroom/service/setup-error';
import { exportFormat, type ExportedFile } from './export-files.js';

interface Manifest {
  readonly format: number;
  readonly workspace: { readonly id: string; readonly name: string };
  readonly files: readonly ExportedFile[];
}

/** A file of a folder of the export, and of no other place. */
const isExported = /^[a-z]+\/[^/.][^/]*$/;

/** The folder of an export that is whole. */
export class ImportFiles {
  private constructor(
    private readonly folder: string,
    readonly workspace: Manifest['workspace'],
    readonly files: readonly ExportedFile[],
  ) {}

  /** @throws SetupError for an export that was cut off, was changed, or is of another format */
  static async in(folder: string): Promise<ImportFiles> {
    const text = await readFile(join(folder, 'manifest.json'), 'utf8').catch(() => null);
    if (text === null)
      throw new SetupError(`"${folder}" has no manifest.json: the export was cut off, or is none.`);
    const { format, workspace, files } = JSON.parse(text) as Manifest;
    if (format !== exportFormat) {
      const age = format > exportFormat ? 'a newer' : 'an older';
      throw new SetupError(`"${folder}" was exported by ${age} version (format ${format}).`);
    }
    if (!isId('ten', workspace.id))
      throw new SetupError(`"${folder}" is of no workspace: "${workspace.id}" is no id of one.`);
    const found = new ImportFiles(folder, workspace, files);
    for (const file of files) {
      if (!isExported.test(file.path)) throw new SetupError(`"${file.path}" is in no export.`);
      await found.requireWhole(file);
    }
    return found;
  }

  /** A file byte by byte; nothing of one that was not made because it would be empty. */
  async *bytes(path: string): AsyncGenerator<Buffer> {
    if (!this.files.some((file) => file.path === path)) return;
    for await (const chunk of createReadStream(join(this.folder, path))) yield chunk as Buffer;
  }

  /** A file line by line; a line may be as long as a file that is attached to a draft. */
  async *lines(path: string): AsyncGenerator<string> {
    let begun: Buffer[] = [];
    for await (const chunk of this.bytes(path)) {
      let start = 0;
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
        yield Buffer.concat([...begun, chunk.subarray(start, end)]).toString();
        begun = [];
        start = end + 1;
      }
      begun.push(chunk.subarray(start));
    }
  }

  private async requireWhole({ path, sha256 }: ExportedFile): Promise<void> {
    const hash = createHash('sha256');
    try {
      await pipeline(createReadStream(join(this.folder, path)), hash);
    } catch (cause) {
      throw new SetupError(`${path} is missing from "${this.folder}".`, { cause });
    }
    if (hash.digest('hex') !== sha256)
      throw new SetupError(`${path} in "${this.folder}" is not what was exported.`);
  }
}
