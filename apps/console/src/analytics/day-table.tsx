import { Table } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Day } from './day-chart.js';

/** Every day of the period, the latest first. */
export const DayTable = ({ days }: { days: readonly Day[] }): ReactElement => (
  <Table.ScrollContainer
    {...{ minWidth: 320, mah: 480, tabIndex: 0, role: 'region', type: 'native' }}
    aria-label="Messages by day"
  >
    <Table stickyHeader striped>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Day</Table.Th>
          <Table.Th ta="right">Received</Table.Th>
          <Table.Th ta="right">Sent</Table.Th>
          <Table.Th ta="right">New conversations</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {days.toReversed().map(({ date, received, sent, newConversations }) => (
          <Table.Tr key={date}>
            <Table.Th scope="row" fw={400}>
              {date}
            </Table.Th>
            <Table.Td ta="right">{received.toLocaleString('en')}</Table.Td>
            <Table.Td ta="right">{sent.toLocaleString('en')}</Table.Td>
            <Table.Td ta="right">{newConversations.toLocaleString('en')}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </Table.ScrollContainer>
);
