import { invalidField } from '@postroom/contracts/problems';
import { compoundFile, isCompoundFormat } from '@postroom/mime/attachment-type';
import type { JudgedFile } from '../judgement.js';
import { judgedText } from '../judged-content.js';
import { listed } from './allowed-domains.js';

// RFC 6838 §4.2; `*` for every subtype.
const mediaType = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/(?:\*|[a-z0-9][a-z0-9!#$&^_.+-]{0,126})$/;
const extension = /^[.]?[\p{L}\p{N}_-][\p{L}\p{N}_.-]{0,30}$/u;

/** Media types and extensions of files that a rule is about. */
export class AttachmentTypes {
  private readonly mediaTypes: readonly string[];
  private readonly extensions: readonly string[];

  private constructor(readonly written: readonly string[]) {
    this.mediaTypes = written.filter((one) => one.includes('/'));
    this.extensions = written
      .filter((one) => !one.includes('/'))
      .map((one) => (one.startsWith('.') ? one : `.${one}`));
  }

  /** @throws Problem INVALID_REQUEST when an entry is neither a media type nor an extension */
  static parse(pattern: string): AttachmentTypes {
    const entries = listed(judgedText(pattern).toLowerCase());
    const wrong = entries.find((one) => !mediaType.test(one) && !extension.test(one));
    if (wrong === undefined && entries.length > 0) return new AttachmentTypes(entries);
    throw invalidField(
      'pattern',
      `type de média (« application/zip », « image/* ») ou extension (« .exe ») attendu${at(wrong)}`,
      `expected media types ("application/zip", "image/*") or extensions (".exe")${at(wrong)}`,
    );
  }

  /**
   * Judges a file by its content, and by the type that its name suggests to the reader's system. A compound file
   * matches whichever of the compound formats it is declared as.
   */
  has({ filename, mimeType }: JudgedFile): boolean {
    const type = (mimeType.split(';')[0] ?? '').trim().toLowerCase();
    const types = isCompoundFormat(type) ? [type, compoundFile] : [type];
    const name = nameAsOpened(filename ?? '');
    return (
      this.mediaTypes.some((one) =>
        types.some((known) =>
          one.endsWith('/*') ? known.startsWith(one.slice(0, -1)) : one === known,
        ),
      ) || this.extensions.some((one) => name.endsWith(one))
    );
  }
}

const at = (wrong: string | undefined): string => (wrong === undefined ? '' : `: ${wrong}`);

/** Windows drops dots and spaces at the end of a name, and opens `a.exe.` as a program. */
const nameAsOpened = (filename: string): string =>
  judgedText(filename)
    .toLowerCase()
    .replace(/[. ]{1,300}$/, '');
