import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  labelSettings,
  mailLists,
  newId,
  triage,
  type LabelChanged,
  type LabelList,
} from '@postroom/contracts';
import { anAdmin } from '@postroom/service-testing';
import { Deliveries } from '../testing/arrivals.js';
import { MailService, type Answer, type MailboxOf } from '../testing/mail-service.js';

type Step = LabelChanged & { readonly after: string | null };

describe('labels of a mailbox', () => {
  let service: MailService;
  let deliveries: Deliveries;
  let mailbox: MailboxOf;

  beforeAll(async () => {
    service = await MailService.start();
    deliveries = await Deliveries.open(service.database.urls.mail);
  });
  afterAll(async () => {
    await deliveries.close();
    await service.close();
  });
  beforeEach(async () => {
    mailbox = await service.mailbox({ automation: false });
  });

  /** The steps of a change, as the gateway asks for them; `between` runs after each but the last. */
  async function change(
    label: string,
    name: string | null,
    between: (conversations: number) => Promise<unknown> = () => Promise.resolve(),
  ): Promise<Answer<Step>> {
    const caller = anAdmin({ tenantId: mailbox.tenantId });
    const operation = name === null ? labelSettings.remove : labelSettings.rename;
    for (let after = ''; ;) {
      const input = { id: mailbox.id, label, ...(name !== null && { name }), after };
      const answer = await service.call<Step>(operation, input, { caller });
      if (answer.status !== 200 || answer.body.after === null) return answer;
      after = answer.body.after;
      await between(answer.body.conversations);
    }
  }
  const label = async (id: string, ...add: string[]): Promise<void> => {
    const input = { id, mailbox: mailbox.address, add, remove: [] };
    const { status } = await service.call(triage.label, input, { caller: mailbox.caller });
    expect(status).toBe(200);
  };
  const labelled = async (text: string, ...add: string[]): Promise<string> => {
    const id = await deliveries.place(mailbox, { text });
    await label(id, ...add);
    return id;
  };
  const all = async (): Promise<LabelList['labels']> => {
    const { address, caller } = mailbox;
    const input = { mailbox: address };
    return (await service.call<LabelList>(mailLists.labels, input, { caller })).body.labels;
  };
  const labelsOf = async (): Promise<string[][]> =>
    (
      await service.rows<{ labels: string[] }>(
        'SELECT labels FROM conversations WHERE tenant_id = $1 ORDER BY id',
        [mailbox.tenantId],
      )
    ).map(({ labels }) => labels);

  it.each([
    ['another name', 'ｏｌｄ', 'New', ['New', 'Other'], ['New']],
    ['another spelling', 'Old', 'OLD', ['OLD', 'Other'], ['OLD']],
    ['a label that is there', 'Old', 'OTHER', ['Other'], ['Other']],
    ['nothing', 'Old', null, ['Other'], []],
  ] as const)('becomes %s on all conversations', async (_, from, to, first, second) => {
    await labelled('One', 'Old', 'Other');
    await labelled('Two', 'Old');
    await labelled('Three', 'Other');
    const { body } = await change(from, to);
    expect(body).toEqual({ ok: true, conversations: 2, after: null });
    expect(await labelsOf()).toEqual([first, second, ['Other']]);
    const names = [...new Set([...first, ...second])].toSorted();
    expect((await all()).map((one) => one.label).toSorted()).toEqual(names);
    const [row] = await service.rows(
      'SELECT version FROM conversations WHERE tenant_id = $1 ORDER BY id',
      [mailbox.tenantId],
    );
    expect(row).toEqual({ version: 3 });
    expect(await service.events(mailbox)).toHaveLength(3);
  });

  it('goes on in steps while others use it, and nothing keeps the old name', async () => {
    const first = await labelled('One', 'Old');
    await service.rows(
      `INSERT INTO conversations (tenant_id, id, mailbox_id, subject, labels, last_message_at,
         created_at, updated_at)
       SELECT $1, $3 || n, $2, '', '{Old}', now(), now(), now() FROM generate_series(1, 1200) n`,
      [mailbox.tenantId, mailbox.id, newId('cnv')],
    );
    const late: string[] = [];
    const { body } = await change('Old', 'New', async (done) => {
      if (done < 1000) late.push(await labelled(`${done}`, 'old'));
    });
    expect(body.conversations).toBe(1201 + late.length);
    expect(late.length).toBeGreaterThan(0);
    expect(await all()).toEqual([{ label: 'New', conversations: 1201 + late.length }]);
    const audited = (await service.audit(mailbox)).filter(
      ({ action }) => action === 'labels.rename',
    );
    expect(audited).toHaveLength(1);
    // The name is free again.
    await label(first, 'Old');
    expect((await all()).map((one) => one.label)).toEqual(['New', 'Old']);
  });

  it('put on a conversation while it is removed is either gone or there whole', async () => {
    const id = await labelled('One', 'Old');
    await Promise.all([change('Old', null), label(id, 'old', 'Other'), label(id, 'OLD')]);
    const onIt = (await labelsOf()).flat().toSorted();
    expect((await all()).filter((one) => one.conversations > 0).map((one) => one.label)).toEqual(
      onIt,
    );
  });

  it('answers not found for an unknown label or mailbox, and another workspace’s', async () => {
    await labelled('One', 'Old');
    expect(await change('None', 'New')).toMatchObject({ status: 404, problem: 'LABEL_NOT_FOUND' });
    expect(await change('None', null)).toMatchObject({ status: 404, problem: 'LABEL_NOT_FOUND' });
    mailbox = { ...mailbox, tenantId: newId('ten') };
    expect(await change('Old', 'New')).toMatchObject({ problem: 'MAILBOX_NOT_FOUND' });
  });
});
