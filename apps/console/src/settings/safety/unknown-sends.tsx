import type { UnknownSend } from '@postroom/contracts';
import { Badge, Code, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api } from '../../api/api.js';
import { ConfirmButton } from '../../ui/confirm-button.js';
import { tellDone } from '../../ui/notices.js';
import { Row, Rows } from '../../ui/row.js';
import { Section } from '../../ui/page.js';
import { Time } from '../../ui/time.js';
import { QueryState } from '../../ui/states.js';
import { unknownSendsQuery } from '../queries.js';

/** Sends of which a crash left unknown whether they left. */
export function UnknownSends(): ReactElement {
  const query = useQuery(unknownSendsQuery);
  const total = query.data?.total ?? 0;
  return (
    <Section
      title="Unknown sends"
      about="Messages whose server stopped while it sent them. They are never sent again by themselves: look in the provider’s log, and say what became of them."
      actions={
        total > 0 && (
          <Badge color="red" variant="light">
            {total}
          </Badge>
        )
      }
    >
      <QueryState query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Text size="sm">None: of every message it is known whether it left.</Text>
          ) : (
            <Rows label="Unknown sends">
              {items.map((send) => (
                <SendRow key={send.id} send={send} />
              ))}
            </Rows>
          )
        }
      </QueryState>
    </Section>
  );
}

const consequences = {
  sent: 'It gets its receipt and its place in the conversation. Nothing is sent.',
  failed: 'It counts as not sent: who asked for it may send it again. Nothing is sent now.',
} as const;

function SendRow({ send }: { send: UnknownSend }): ReactElement {
  const client = useQueryClient();
  const settle = async (outcome: 'sent' | 'failed'): Promise<void> => {
    await api.post(`/sends/${send.id}/settle`, { outcome });
    await client.invalidateQueries({ queryKey: unknownSendsQuery.queryKey });
    tellDone(outcome === 'sent' ? 'It counts as sent.' : 'It counts as not sent.');
  };
  const to = send.recipients.join(', ');
  return (
    <Row
      title={<bdi>To {to}</bdi>}
      about={
        <Stack gap={2}>
          <span>
            From {send.mailbox}, <Time at={send.createdAt} />; looked for again{' '}
            <Time at={send.nextLookAt} form="relative" />
          </span>
          <span>Found: {send.reason}</span>
          <span>
            Message-ID <Code>{send.messageId}</Code>
          </span>
        </Stack>
      }
    >
      {(['sent', 'failed'] as const).map((outcome) => (
        <ConfirmButton
          key={outcome}
          {...{ label: outcome === 'sent' ? 'It was sent' : 'It was not sent' }}
          {...{ name: `${outcome === 'sent' ? 'It was sent' : 'It was not sent'}: ${to}` }}
          {...{ question: consequences[outcome], confirm: 'Settle it' }}
          onConfirm={() => settle(outcome)}
        />
      ))}
    </Row>
  );
}
