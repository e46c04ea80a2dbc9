import type { AnalyticsAnswer } from '@postroom/contracts';
import { Table, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { Share } from './share.js';

type Mailboxes = AnalyticsAnswer['summary']['volumes']['byMailbox'];

/** The mailboxes by their share of what was received. */
export function MailboxVolumes({ mailboxes }: { mailboxes: Mailboxes }): ReactElement {
  const total = mailboxes.reduce((sum, { received }) => sum + received, 0);
  const sorted = mailboxes.toSorted((a, b) => b.received - a.received);
  if (sorted.length === 0)
    return (
      <Text size="sm" c="dimmed">
        You may read no mailbox.
      </Text>
    );
  return (
    <Table.ScrollContainer minWidth={420} tabIndex={0} type="native">
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Mailbox</Table.Th>
            <Table.Th w="40%">Share of what was received</Table.Th>
            <Table.Th ta="right">Received</Table.Th>
            <Table.Th ta="right">Sent</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {sorted.map(({ mailbox, received, sent }) => (
            <Table.Tr key={mailbox}>
              <Table.Th scope="row" fw={400}>
                {mailbox}
              </Table.Th>
              <Table.Td>
                <Share part={received} total={total} />
              </Table.Td>
              <Table.Td ta="right">{received.toLocaleString('en')}</Table.Td>
              <Table.Td ta="right">{sent.toLocaleString('en')}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
