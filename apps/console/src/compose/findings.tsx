import { Alert, Button, Code, Group, List, Modal, Stack, Table, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { Icon } from '../ui/icons.js';
import type { Finding } from './send-session.js';
import type { HeldSending, SendingState } from './use-sending.js';
import { suppressionReason } from './words.js';

/** Findings of data-loss prevention and suppressed recipients: to be confirmed, or to be changed. */
export function Findings({ sending }: { sending: SendingState }): ReactElement {
  const { found, forget } = sending;
  return (
    <Modal
      {...{ opened: found !== null, onClose: forget, size: 'lg' }}
      title={found?.token === null ? 'This message may not leave' : 'Look again before it leaves'}
    >
      {found && <HeldSendingList {...{ found, sending }} />}
    </Modal>
  );
}

const HeldSendingList = (props: { found: HeldSending; sending: SendingState }): ReactElement => {
  const { found, sending } = props;
  const { token, options, findings, suppressed } = found;
  return (
    <Stack>
      {suppressed.length > 0 && <SuppressedRecipients suppressed={suppressed} />}
      {findings.length > 0 && (
        <>
          <Alert color={token === null ? 'red' : 'yellow'} variant="light" p="sm">
            {token === null
              ? 'A rule of the workspace blocks it. Change what was found; nothing has been sent.'
              : 'Rules of the workspace have found what perhaps should not leave. Nothing has been sent.'}
          </Alert>
          <FindingTable findings={findings} />
        </>
      )}
      <Group justify="flex-end">
        {token !== null && (
          <Button
            {...{ color: 'red', variant: 'outline' }}
            onClick={() => sending.send({ ...options, token })}
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

const SuppressedRecipients = ({ suppressed }: Pick<HeldSending, 'suppressed'>): ReactElement => (
  <Alert color="yellow" variant="light" p="sm" icon={<Icon name="warning" />}>
    <Text size="sm">
      Mail to these recipients came back before, or they do not want it. Nothing has been sent.
    </Text>
    <List size="sm" mt={4}>
      {suppressed.map((one) => (
        <List.Item key={one.address}>
          <b>
            <bdi>{one.address}</bdi>
          </b>
          : <bdi>{suppressionReason(one)}</bdi>
        </List.Item>
      ))}
    </List>
  </Alert>
);

const FindingTable = ({ findings }: Pick<HeldSending, 'findings'>): ReactElement => (
  <Table
    data={{
      head: ['Rule', 'Where', 'What'],
      body: findings.map(({ rule, place, excerpt }) => [
        rule,
        places[place],
        excerpt === '' ? (
          <Text key="far" size="sm" c="dimmed">
            far into the text
          </Text>
        ) : (
          <Code key="excerpt">
            <bdi>{excerpt}</bdi>
          </Code>
        ),
      ]),
    }}
  />
);

const places: Readonly<Record<Finding['place'], string>> = {
  subject: 'subject',
  body: 'text',
  attachments: 'files',
  recipients: 'recipients',
};
