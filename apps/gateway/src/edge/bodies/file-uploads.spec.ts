import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { filePieceBytes, newId, uploadBytesMax, uploadSteps } from '@postroom/contracts';
import { Gateway, type SomeWorkspace } from '../../testing/gateway.js';
import { bodyOf } from '../../testing/http.js';

describe('a file that a member uploads', () => {
  const upload = { id: newId('att'), filename: 'a b.pdf', size: 7, mimeType: 'application/pdf' };
  let gateway: Gateway;
  let workspace: SomeWorkspace;
  let taken: Buffer[];

  beforeAll(async () => {
    gateway = await Gateway.start();
    workspace = await gateway.workspace();
    gateway.mail.answer = ({ request: { operation }, input }) => {
      if (operation === uploadSteps.begin.id) {
        taken = [];
        return { body: { id: upload.id } };
      }
      if (operation === uploadSteps.end.id) return { status: 201, body: { upload } };
      taken.push(Buffer.from(String(input['piece']), 'base64'));
      return { body: { id: upload.id, size: 0 } };
    };
  });

  afterAll(() => gateway.close());

  const send = (body: Buffer, query = '?mailbox=support@acme.test&filename=a%20b.pdf') =>
    gateway.send(`/settings/api/v1/attachments${query}`, {
      method: 'POST',
      body,
      headers: { cookie: workspace.admin.cookie, 'content-type': 'application/pdf' },
    });

  it('is handed over in pieces of one length, byte for byte', async () => {
    for (const length of [0, 1, filePieceBytes, filePieceBytes * 3 + 7]) {
      const bytes = Buffer.alloc(length, 'pieces of a file');
      gateway.mail.calls.length = 0;
      const answer = await send(bytes);
      expect([answer.status, bodyOf(answer)]).toEqual([201, { upload }]);
      expect(Buffer.concat(taken).equals(bytes)).toBe(true);
      expect(
        taken.every(({ length: n }, i) => n === filePieceBytes || i === taken.length - 1),
      ).toBe(true);
      expect(gateway.mail.calls[0]?.input).toMatchObject({
        ...{ mailbox: 'support@acme.test', filename: 'a b.pdf', declared: 'application/pdf' },
      });
    }
  });

  it('is refused where it is too large, or says not where it belongs', async () => {
    expect((await send(Buffer.alloc(uploadBytesMax + 1))).status).toBe(413);
    expect((await send(Buffer.from('x'), '')).status).toBe(400);
    expect((await send(Buffer.from('x'), '?mailbox=a@b.test&filename=../x')).status).toBe(400);
  });
});
