import { AnswerOf } from './answers.js';
import { base64Length, Count, FileName, Id, MailboxName, Text } from './fields/index.js';
import { family, operation } from './operation.js';

/** Bytes of an uploaded file (`decisions.md` §1). */
export const uploadBytesMax = 26_214_400;

/** Bytes in which a file is handed on and stored. */
export const filePieceBytes = 180 * 1024;

/** Input of an upload; its body is the file. */
export class UploadFile {
  @MailboxName('The mailbox of the drafts that may name it.')
  mailbox!: string;

  @FileName('File name, without any path.', { optional: true })
  filename?: string;
}

/** A file that was uploaded, for a draft to name. */
export class Upload {
  @Id('att', 'The file: give it as `uploadId` of a draft’s attachment.')
  id!: string;

  @FileName('File name.', { nullable: true })
  filename!: string | null;

  @Count('Bytes.', { max: uploadBytesMax })
  size!: number;

  @Text('Media type, found from the bytes.', { max: 255 })
  mimeType!: string;
}

/** A file that was uploaded. */
export class UploadAnswer extends AnswerOf('upload', () => Upload, 'The file.') {}

/** Files that members upload (`decisions.md` §9). */
export const uploads = family(
  'mail',
  'uploads',
  {
    create: operation({
      http: 'POST /v1/attachments',
      success: 201,
      summary: 'Upload a file for a draft',
      description: `The body is the file, of any media type and 26,214,400 bytes at most. A draft of the
mailbox names it as \`attachments[{ uploadId }]\`; one that none names is deleted after 24 hours.`,
      input: UploadFile,
      output: UploadAnswer,
      request: { mediaTypes: ['*/*'], isFile: true },
      mailbox: 'write',
      problems: ['MAILBOX_NOT_FOUND', 'QUOTA_EXCEEDED'],
    }),
  },
  { audience: 'member' },
);

/** Input of an upload's beginning. */
export class BeginUpload extends UploadFile {
  @Text('Media type, as it was declared.', { max: 255, nullable: true })
  declared!: string | null;
}

/** An upload that has begun. */
export class BegunUpload {
  @Id('att', 'The file.')
  id!: string;
}

/** Input of a step of an upload. */
export class TakeUploadPiece extends BegunUpload {
  @Count('Where in the file it begins.', { max: uploadBytesMax })
  start!: number;

  @Text('The bytes, as base64.', { max: base64Length(filePieceBytes) })
  piece!: string;
}

/** Progress of an upload. */
export class UploadProgress extends BegunUpload {
  @Count('Bytes that are stored.', { max: uploadBytesMax })
  size!: number;
}

/** Input of an upload's end. */
export class EndUpload extends UploadProgress {}

/** Requests of the gateway to the mail service while it reads a file. */
export const uploadSteps = family(
  'mail',
  'uploadSteps',
  {
    begin: operation({
      http: 'POST /uploads',
      summary: 'Begin an upload',
      input: BeginUpload,
      output: BegunUpload,
      audit: 'uploads.create',
      problems: ['MAILBOX_NOT_FOUND', 'QUOTA_EXCEEDED'],
    }),
    take: operation({
      http: 'POST /uploads/:id/pieces',
      summary: 'Take the next bytes of an upload',
      input: TakeUploadPiece,
      output: UploadProgress,
      audit: null,
      problems: ['UPLOAD_NOT_FOUND', 'QUOTA_EXCEEDED'],
    }),
    end: operation({
      http: 'POST /uploads/:id/end',
      success: 201,
      summary: 'End an upload',
      input: EndUpload,
      output: UploadAnswer,
      audit: null,
      problems: ['UPLOAD_NOT_FOUND'],
    }),
  },
  { audience: 'service' },
);
