import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  mailPersons,
  suppressions,
  suppressionSettings,
  type SendReceipt,
  type SuppressionAnswer,
  type SuppressionPage,
} from '@postroom/contracts';
import { anAdmin } from '@postroom/service-testing';
import { MailService, type MailboxOf } from '../testing/mail-service.js';
import { TestOutbox } from '../testing/outgoing.js';
import { aMessage, Sendings } from '../testing/sending.js';

const ann = 'ann@x.test';
const bob = 'bob@x.test';

describe('suppressions', () => {
  let outbox: TestOutbox;
  let service: MailService;
  beforeAll(async () => {
    outbox = await TestOutbox.start();
    service = await MailService.start(outbox.env);
  });
  afterAll(async () => {
    await service.close();
    await outbox.close();
  });

  const listed = async (of: MailboxOf, input: object = { limit: 100 }): Promise<SuppressionPage> =>
    (await service.call<SuppressionPage>(suppressions.list, input, { caller: of.caller })).body;
  const by = (of: MailboxOf) => ({ caller: anAdmin({ tenantId: of.tenantId }) });
  const add = (of: MailboxOf, address: string) =>
    service.call<SuppressionAnswer>(suppressionSettings.add, { address }, by(of));
  const remove = (of: MailboxOf, address: string) =>
    service.call(suppressionSettings.remove, { address }, by(of));
  const send = (of: MailboxOf, ...to: readonly string[]) =>
    new Sendings(service).create(of, {
      ...aMessage(),
      to: to.map((email) => ({ email, name: null })),
    });

  /** Delivers a report on a message of ours. */
  const report = (of: MailboxOf, about: string | null, ...told: readonly string[]) => {
    const lines = [
      ...['From: mailer-daemon@x.test', 'Subject: failure notice', 'MIME-Version: 1.0'],
      ...['Content-Type: multipart/report; report-type=delivery-status; boundary=b', ''],
      ...['--b', '', 'Sorry.', '--b', 'Content-Type: message/delivery-status', '', ...told],
      ...['--b', 'Content-Type: text/rfc822-headers', '', `Message-ID: <${about}>`, '', '--b--'],
    ];
    const raw = `${lines.join('\r\n')}\r\n`;
    return service.send({ raw, envelope: { from: '', to: of.address } });
  };
  const failed = (recipient: string, status = '5.1.1', action = 'failed'): string[] => [
    ...[`Final-Recipient: rfc822; ${recipient}`, `Action: ${action}`, `Status: ${status}`],
    'Diagnostic-Code: smtp; 550 unknown user',
  ];

  it.each([
    ['refused for good', [ann, bob], failed('ANN@X.test'), [ann]],
    ['forwarded, and refused there', [ann], failed('elsewhere@y.test'), [ann]],
    ['that is none of several recipients', [ann, bob], failed('elsewhere@y.test'), []],
    ['refused for the moment', [ann], failed(ann, '4.2.2'), []],
    ['of which a report says that it is delayed', [ann], failed(ann, '4.4.1', 'delayed'), []],
    ['of which a report says that it came', [ann], failed(ann, '2.0.0', 'delivered'), []],
  ])('has an address %s', async (_what, to, told, expected) => {
    const of = await service.mailbox();
    const { providerMessageId } = (await send(of, ...to)).body as SendReceipt;
    await report(of, providerMessageId, ...told);
    const found = (await listed(of)).suppressions;
    expect(found.map(({ address }) => address)).toEqual(expected);
    const facts = { reason: 'bounced', status: '5.1.1 550 unknown user' };
    expect(found).toMatchObject(expected.map(() => ({ ...facts, messageId: expect.any(String) })));
  });

  it('has no address of a report on what was not sent', async () => {
    const of = await service.mailbox();
    await report(of, 'made-up@acme.test', ...failed(ann));
    expect((await listed(of)).suppressions).toEqual([]);
  });

  it('holds a send back until its token confirms it, and tells of another that was added', async () => {
    const of = await service.mailbox();
    await add(of, ann);
    const sendings = new Sendings(service);
    const message = aMessage({ to: [bob, 'Ann@X.TEST'].map((email) => ({ email, name: null })) });
    const warned = await sendings.create(of, message);
    expect(warned).toMatchObject({ status: 409, problem: 'DLP_WARNING' });
    expect(warned.body).toMatchObject({
      fields: {
        dlpStatus: 'warning_required',
        suppressed: [{ address: ann, reason: 'member', status: null, messageId: null }],
      },
    });
    const { dlpWarningToken } = warned.body.fields as unknown as SendToken;
    await add(of, bob);
    const again = await sendings.create(of, { ...message, dlpWarningToken });
    expect(again.body).toMatchObject({
      fields: { suppressed: [{ address: ann }, { address: bob }] },
    });
    await remove(of, bob);
    const sent = await sendings.create(of, { ...message, dlpWarningToken });
    expect(sent).toMatchObject({ status: 200, body: { dlpStatus: 'warning_required' } });
    const overridden = (await service.audit(of)).filter(({ action }) => action.startsWith('dlp'));
    expect(overridden).toMatchObject([{ action: 'dlp.overridden', subjectId: 'suppressions' }]);
  });

  it('are read in pages, added and removed once, of one workspace alone', async () => {
    const [of, other] = [await service.mailbox(), await service.mailbox()];
    for (const address of [bob, ann, 'ANN@x.test', 'é@bücher.test']) await add(of, address);
    const first = await listed(of, { limit: 2 });
    expect(first.suppressions.map(({ address }) => address)).toEqual([ann, bob]);
    const second = await listed(of, { limit: 2, pageToken: first.nextPageToken });
    expect(second).toMatchObject({
      suppressions: [{ address: 'é@xn--bcher-kva.test' }],
      nextPageToken: null,
    });
    expect((await listed(other)).suppressions).toEqual([]);
    expect((await send(other, ann)).status).toBe(200);
    expect((await remove(other, ann)).problem).toBe('SUPPRESSION_NOT_FOUND');
    expect((await remove(of, 'Ann@x.test')).body).toEqual({ ok: true });
    expect((await remove(of, ann)).problem).toBe('SUPPRESSION_NOT_FOUND');
    expect(JSON.stringify(await service.audit(of))).not.toContain('x.test');
  });

  it('are erased with the data of a person', async () => {
    const of = await service.mailbox();
    await add(of, ann);
    await add(of, bob);
    const input = { email: ann, dryRun: false, after: 'drafts' };
    await service.call(mailPersons.erase, input, by(of));
    expect((await listed(of)).suppressions).toMatchObject([{ address: bob }]);
  });
});

interface SendToken {
  readonly dlpWarningToken: string;
}
