import { Alert, Button, Code, Group, Modal, Stack, Table, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Finding } from './send-session.js';
import type { Found, SendingState } from './use-sending.js';

/** Findings of data-loss prevention: to be confirmed, or to be changed. */
export function Findings({ sending }: { sending: SendingState }): ReactElement {
  const { found, forget } = sending;
  return (
    <Modal
      {...{ opened: found !== null, onClose: forget, size: 'lg' }}
      title={found?.token === null ? 'This message may not leave' : 'Look again before it leaves'}
    >
      {found && <FoundList {...{ found, sending }} />}
    </Modal>
  );
}

const FoundList = (props: { found: Found; sending: SendingState }): ReactElement => {
  const { found, sending } = props;
  const { token, options, findings } = found;
  return (
    <Stack>
      <Alert color={token === null ? 'red' : 'yellow'} variant="light" p="sm">
        {token === null
          ? 'A rule of the workspace blocks it. Change what was found; nothing has been sent.'
          : 'Rules of the workspace have found what perhaps should not leave. Nothing has been sent.'}
      </Alert>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Rule</Table.Th>
            <Table.Th>Where</Table.Th>
            <Table.Th>What</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {findings.map((finding, i) => (
            <FindingRow key={i} finding={finding} />
          ))}
        </Table.Tbody>
      </Table>
      <Group justify="flex-end">
        {token !== null && (
          <Button
            {...{ color: 'red', variant: 'outline' }}
            onClick={() => sending.send({ ...laterOnly(options), token })}
          >
            Send anyway
          </Button>
        )}
        <Button data-autofocus onClick={sending.forget}>
          Go back and change it
        </Button>
      </Group>
    </Stack>
  );
};

/** One that was asked about at once still leaves so that it can be undone. */
const laterOnly = ({ at }: Found['options']): Found['options'] =>
  at === undefined || at === 'now' ? {} : { at };

const places: Readonly<Record<Finding['place'], string>> = {
  subject: 'subject',
  body: 'text',
  attachments: 'files',
  recipients: 'recipients',
};

const FindingRow = ({ finding }: { finding: Finding }): ReactElement => (
  <Table.Tr>
    <Table.Td>{finding.rule}</Table.Td>
    <Table.Td>{places[finding.place]}</Table.Td>
    <Table.Td>
      {finding.excerpt === '' ? (
        <Text size="sm" c="dimmed">
          far into the text
        </Text>
      ) : (
        <Code>
          <bdi>{finding.excerpt}</bdi>
        </Code>
      )}
    </Table.Td>
  </Table.Tr>
);
