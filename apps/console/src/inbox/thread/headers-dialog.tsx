import { Code, Modal, ScrollArea, Table, Text } from '@mantine/core';
import type { MessageHeaders } from '@postroom/contracts';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api } from '../../api/api.js';
import { ErrorState, Loading } from '../../ui/states.js';

interface HeadersProps {
  readonly id: string;
  readonly mailbox: string;
}

export const HeadersDialog = (
  props: HeadersProps & { isOpen: boolean; onClose: () => void },
): ReactElement => (
  <Modal opened={props.isOpen} onClose={props.onClose} title="Header fields" size="xl">
    {props.isOpen && <Headers id={props.id} mailbox={props.mailbox} />}
  </Modal>
);

function Headers({ id, mailbox }: HeadersProps): ReactElement {
  const { data, error, refetch } = useQuery({
    queryKey: ['headers', mailbox, id],
    queryFn: ({ signal }) =>
      api.get<MessageHeaders>(`/v1/messages/${id}/headers`, { mailbox }, signal),
  });
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading />;
  return (
    <ScrollArea.Autosize mah="70dvh">
      <Table layout="fixed">
        <Table.Tbody>
          {data.headers.map(({ name, value }, i) => (
            <Table.Tr key={i} style={{ verticalAlign: 'top' }}>
              <Table.Th w={170} style={{ overflowWrap: 'anywhere' }}>
                {name}
              </Table.Th>
              <Table.Td>
                <Code style={{ overflowWrap: 'anywhere' }}>{value}</Code>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {data.truncated && <Text size="sm">There is more: download the original.</Text>}
    </ScrollArea.Autosize>
  );
}
