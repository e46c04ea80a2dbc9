import { isId } from '../ids.js';
import { bodyBytesMax } from './streamed-parts.js';
import { canonicalBase64Pattern, isCanonicalBase64, StoredContent } from './content.js';
import { field, type Presence } from './field.js';
import { idSchema } from './id.js';
import type { InnerFault, Wording } from './faults.js';
import type { Streamed } from './field-facts.js';
import { codePoints, isCleanText, isRecord, isString, type RawValues } from './values.js';

/** Files of one message (public-api.md §8). */
export const attachedFilesMax = 50;

/** Base64 characters of all of them together (`decisions.md` §1). */
export const attachedCharactersMax = 26_214_400;

/** A file that is given with a message. */
export class AttachedFile {
  constructor(
    /** Strict base64; or where the bytes were put as they came in, for a field that says `streamed`. */
    readonly contentBase64: string | StoredContent,
    readonly filename: string | null,
    /** As declared: never trusted, the real one is found from the bytes. */
    readonly mimeType: string | null,
    /** A file that is there already, uploaded or of the same draft; nothing else is given then. */
    readonly uploadId?: string,
  ) {}
}

/** A file that is named alone. */
class NamedFile extends AttachedFile {
  constructor(private readonly named: string) {
    super('', null, null, named);
  }

  /** As a body gives it, so that what was decoded once is decoded to the same again. */
  toJSON(): object {
    return { uploadId: this.named };
  }
}

const nameMax = 255;
const controls = String.raw`\u0000-\u001f\u007f-\u009f`;
/** No path, so nothing to be cut off: neither separator stands in it, nor does it name a folder. */
const filenamePattern = String.raw`^(?!\.{1,2}$)[^${controls}/\\]*[^${controls}/\\\s][^${controls}/\\]*$`;
const typePattern = `^[^${controls}]*$`;
const filenameForm = new RegExp(filenamePattern, 'u');
const typeForm = new RegExp(typePattern, 'u');

const wordings = {
  list: {
    fr: `liste d’au plus ${attachedFilesMax} pièces jointes { contentBase64, filename, mimeType } attendue`,
    en: `expected a list of at most ${attachedFilesMax} attachments { contentBase64, filename, mimeType }`,
  },
  upload: {
    fr: 'identifiant d’un fichier téléversé attendu, sans autre champ',
    en: 'expected the id of an uploaded file and no other field',
  },
  entry: {
    fr: 'objet { contentBase64, filename (ou name), mimeType (ou type) } attendu, sans autre champ',
    en: 'expected an object { contentBase64, filename (or name), mimeType (or type) } and no other field',
  },
  twice: { fr: 'champ donné sous deux noms', en: 'given under two names' },
  content: {
    fr: 'base64 canonique attendu (alphabet standard, complété par « = »)',
    en: 'expected canonical base64 (standard alphabet, padded)',
  },
  name: {
    fr: `nom de fichier d’au plus ${nameMax} caractères, sans chemin ni caractère de contrôle, attendu`,
    en: `expected a file name of at most ${nameMax} characters without path or control characters`,
  },
  type: {
    fr: `type de média d’au plus ${nameMax} caractères attendu`,
    en: `expected a media type of at most ${nameMax} characters`,
  },
} satisfies Record<string, Wording>;

const nameSchema = { type: ['string', 'null'], maxLength: nameMax, pattern: filenamePattern };
const typeSchema = { type: ['string', 'null'], maxLength: nameMax, pattern: typePattern };
const uploadSchema = {
  uploadId: { ...idSchema('att'), description: 'An uploaded file, or one of this draft: alone.' },
};
/** It declares the properties too, since linters ask for that. */
const requiring = (...names: string[]) => ({
  properties: Object.fromEntries(names.map((name) => [name, {}])),
  required: names,
});
const fileSchema = (contentMax: number) => ({
  title: contentMax === bodyBytesMax ? 'AttachedDraftFile' : 'AttachedFile',
  type: 'object',
  properties: {
    contentBase64: {
      type: 'string',
      contentEncoding: 'base64',
      pattern: canonicalBase64Pattern,
      maxLength: contentMax,
      description: 'The bytes: strict canonical base64 (RFC 4648 §4, padding bits zero).',
    },
    filename: { ...nameSchema, description: 'File name, without any path.' },
    name: { ...nameSchema, description: 'Another name of `filename`.' },
    mimeType: {
      ...typeSchema,
      description: 'Declared media type: not trusted, the real one is found from the bytes.',
    },
    type: { ...typeSchema, description: 'Another name of `mimeType`.' },
    ...(contentMax === bodyBytesMax && uploadSchema),
  },
  ...(contentMax === bodyBytesMax
    ? { if: requiring('uploadId'), then: { maxProperties: 1 }, else: requiring('contentBase64') }
    : { required: ['contentBase64'] }),
  not: {
    anyOf: [requiring('filename', 'name'), requiring('mimeType', 'type')].map((both) => ({
      type: 'object',
      ...both,
    })),
  },
  additionalProperties: false,
});

const streamed: Streamed = {
  property: 'contentBase64',
  countMax: attachedFilesMax,
  charactersMax: attachedCharactersMax,
};

interface AttachedFilesOptions extends Presence {
  /**
   * The bytes are put aside while the body is read, so that what goes on is small: each entry's
   * `contentBase64` becomes a {@link StoredContent}.
   */
  readonly streamed?: boolean;
  readonly default?: readonly AttachedFile[];
}

/** The name of a file. */
export function FileName<const O extends Presence>(about: string, options?: O) {
  return field<string, O>({
    about,
    options,
    schema: () => ({ type: 'string', maxLength: nameMax, pattern: filenamePattern }),
    expects: wordings.name,
    accepts: (value) => isString(value) && isFilename(value),
  });
}

/**
 * The files of a message (public-api.md §4, "Attachments"). Their number and size are for the operation's rule,
 * since too many are refused with another status: `messageFaults`.
 */
export function AttachedFiles<const O extends AttachedFilesOptions>(about: string, options?: O) {
  const contentMax = options?.streamed ? attachedCharactersMax : bodyBytesMax;
  return field<AttachedFile[], O>({
    about,
    options,
    schema: () => ({ type: 'array', maxItems: attachedFilesMax, items: fileSchema(contentMax) }),
    expects: wordings.list,
    accepts: (value) => Array.isArray(value) && value.every((one) => one instanceof AttachedFile),
    convert: (value) => filesGiven(value, options) ?? value,
    faultIn: (value) => faultIn(value, options),
    ...(options?.streamed && { streamed }),
  });
}

function filesGiven(value: unknown, options: Given): AttachedFile[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const files: AttachedFile[] = [];
  for (const entry of value as unknown[]) {
    const file = fileGiven(entry, options);
    if (!(file instanceof AttachedFile)) return undefined;
    files.push(file);
  }
  return files;
}

/** The fault of the first entry that has one. */
function faultIn(value: unknown, options: Given): InnerFault | undefined {
  if (!Array.isArray(value)) return undefined;
  for (const [i, entry] of (value as unknown[]).entries()) {
    const file = fileGiven(entry, options);
    if (!(file instanceof AttachedFile)) return { ...file, at: `${i}${file.at}` };
  }
  return undefined;
}

/** Bytes that are put aside while the body is read come with it: no upload is named then. */
type Given = Pick<AttachedFilesOptions, 'streamed'> | undefined;

function fileGiven(entry: unknown, options: Given): AttachedFile | InnerFault {
  if (!isRecord(entry)) return { at: '', message: wordings.entry };
  const isNamed = Object.hasOwn(entry, 'uploadId') && !options?.streamed;
  return isNamed ? uploadGiven(entry) : bytesGiven(entry);
}

function bytesGiven(entry: RawValues): AttachedFile | InnerFault {
  const { contentBase64: content, filename, name, mimeType, type, ...others } = entry;
  if (Object.keys(others).length > 0) return { at: '', message: wordings.entry };
  const twice = givenTwice(entry);
  if (twice) return { at: `.${twice}`, message: wordings.twice };
  return fileOf(content, filename ?? name ?? null, mimeType ?? type ?? null);
}

function uploadGiven({ uploadId, ...others }: RawValues): AttachedFile | InnerFault {
  const isAlone = Object.keys(others).length === 0;
  return isAlone && isString(uploadId) && isId('att', uploadId)
    ? new NamedFile(uploadId)
    : { at: '.uploadId', message: wordings.upload };
}

function fileOf(content: unknown, shown: unknown, declared: unknown): AttachedFile | InnerFault {
  if (!isContent(content)) return { at: '.contentBase64', message: wordings.content };
  if (!isFilename(shown)) return { at: '.filename', message: wordings.name };
  if (!isType(declared)) return { at: '.mimeType', message: wordings.type };
  return new AttachedFile(content, shown, declared);
}

/** The other name of a field that is there under its own too. */
function givenTwice({ filename, name, mimeType, type }: RawValues): string | undefined {
  if (filename !== undefined && name !== undefined) return 'name';
  return mimeType !== undefined && type !== undefined ? 'type' : undefined;
}

const isContent = (value: unknown): value is string | StoredContent =>
  value instanceof StoredContent || (isString(value) && isCanonicalBase64(value));

const isFilename = (value: unknown): value is string | null =>
  value === null ||
  (isCleanText(value) && codePoints(value) <= nameMax && filenameForm.test(value));

const isType = (value: unknown): value is string | null =>
  value === null || (isCleanText(value) && codePoints(value) <= nameMax && typeForm.test(value));
