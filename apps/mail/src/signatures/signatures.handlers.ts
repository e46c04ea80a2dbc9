import { Controller } from '@nestjs/common';
import {
  newId,
  signatures,
  signatureSettings,
  type CreateSignature,
  type Done,
  type ListSignatures,
  type RemoveSignature,
  type SignatureAnswer,
  type SignatureList,
  type SignaturePage,
  type UpdateSignature,
} from '@postroom/contracts';
import { Handles, requireVersion, type Reading, type Writing } from '@postroom/operations';
import { contentOf } from './signature-content.js';
import {
  findSignature,
  listSignatures,
  lockSignatures,
  removeSignature,
  requirePlace,
  writeSignature,
} from './kept-signatures.js';

/** Signatures of the workspace; one for a mailbox out of the caller's reach does not exist. */
@Controller()
export class SignaturesHandlers {
  @Handles(signatures.list)
  async list(context: Reading, _input: ListSignatures): Promise<SignatureList> {
    return { signatures: await listSignatures(context) };
  }

  @Handles(signatureSettings.list)
  async listAll(context: Reading, _input: ListSignatures): Promise<SignaturePage> {
    return { items: await listSignatures(context), nextPageToken: null };
  }

  @Handles(signatureSettings.create)
  async create(
    context: Writing<typeof signatureSettings.create>,
    { name, mailbox = null, isDefault, ...given }: CreateSignature,
  ): Promise<SignatureAnswer> {
    const id = newId('sig');
    const content = contentOf(given);
    await lockSignatures(context);
    await requirePlace(context);
    context.subject(id);
    return {
      signature: await writeSignature(context, { id, name, mailbox, isDefault, ...content }),
    };
  }

  @Handles(signatureSettings.update)
  async update(
    context: Writing<typeof signatureSettings.update>,
    { id, ifMatch, html, text, ...given }: UpdateSignature,
  ): Promise<SignatureAnswer> {
    await lockSignatures(context);
    const known = await findSignature(context, id);
    requireVersion(known, ifMatch);
    const content = contentOf(
      { ...(html !== undefined && { html }), ...(text !== undefined && { text }) },
      known,
    );
    return { signature: await writeSignature(context, { ...known, ...given, ...content }) };
  }

  @Handles(signatureSettings.remove)
  async remove(
    context: Writing<typeof signatureSettings.remove>,
    { id, ifMatch }: RemoveSignature,
  ): Promise<Done> {
    await lockSignatures(context);
    requireVersion(await findSignature(context, id), ifMatch);
    await removeSignature(context, id);
    return { ok: true };
  }
}
