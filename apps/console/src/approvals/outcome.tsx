import { Alert, Anchor, Box, Button, Code, Collapse, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ApprovalRequest, ApprovalState } from '@postroom/contracts';
import type { ReactElement } from 'react';
import { useAccount } from '../api/account.js';
import { CopyButton } from '../ui/copy-button.js';
import { Icon, type IconName } from '../ui/icons.js';
import { MarkedText } from '../ui/marked-text.js';
import { ZonedTime } from '../ui/time.js';
import { Differences } from './changes/change-form.js';

interface Words {
  readonly title: string;
  readonly color: string;
  readonly icon: IconName;
}

const words: Partial<Readonly<Record<ApprovalState, Words>>> = {
  approved: { title: 'Approved; it will be carried out', color: 'teal', icon: 'check' },
  executing: { title: 'Approved; it is being carried out', color: 'teal', icon: 'check' },
  executed: { title: 'Approved and done', color: 'teal', icon: 'check' },
  failed: { title: 'Approved, but it failed', color: 'red', icon: 'warning' },
  rejected: { title: 'Rejected', color: 'red', icon: 'cross' },
  expired: { title: 'Expired: nobody decided', color: 'gray', icon: 'snooze' },
  cancelled: {
    title: 'Cancelled: withdrawn, or its key was revoked',
    color: 'gray',
    icon: 'cross',
  },
  refused: {
    title: 'Refused: it could not be carried out any more',
    color: 'red',
    icon: 'warning',
  },
};

/** The answer to a write in a sentence, where it has one. */
function answerOf({ result }: ApprovalRequest): string | null {
  const { error, message } = result?.body ?? {};
  if (typeof message === 'string') return message;
  return typeof error === 'string' ? error : null;
}

/** The end of a request: who decided, what came of it, and the receipt. */
export function Outcome({ approval }: { approval: ApprovalRequest }): ReactElement {
  const { state, approvedPayload, receipt, result } = approval;
  const { title, color, icon } = words[state] ?? { title: state, color: 'gray', icon: 'info' };
  const answer = answerOf(approval);
  return (
    <Alert {...{ color, title }} variant="light" icon={<Icon name={icon} />} role="status">
      <Stack gap="xs">
        <Decided approval={approval} />
        {answer !== null && (
          <Text size="sm">
            The answer was {result?.status}: <MarkedText text={answer} />
          </Text>
        )}
        {approvedPayload && (
          <Box>
            <Text size="sm" fw={600}>
              Changed before it was approved
            </Text>
            <Differences before={approval.payload} after={approvedPayload} />
          </Box>
        )}
        {receipt !== null && <Receipt receipt={receipt} />}
      </Stack>
    </Alert>
  );
}

function Decided({ approval }: { approval: ApprovalRequest }): ReactElement {
  const { workspace, members } = useAccount();
  const { state, decidedBy, decidedAt, comment } = approval;
  const name = members.find(({ email }) => email === decidedBy)?.name ?? decidedBy;
  return (
    <>
      {name !== null && decidedAt !== null && (
        <Text size="sm">
          {state === 'rejected' ? 'Rejected' : 'Decided'} by <bdi>{name}</bdi>,{' '}
          <ZonedTime at={decidedAt} zone={workspace.timeZone} />
        </Text>
      )}
      {comment !== null && comment !== '' && (
        <Text size="sm">
          <MarkedText text={`“${comment}”`} />
        </Text>
      )}
    </>
  );
}

function Receipt({ receipt }: { receipt: string }): ReactElement {
  const [isOpen, { toggle }] = useDisclosure(false);
  const claims = readReceipt(receipt);
  return (
    <Box>
      <Group gap="xs">
        <Button
          {...{ size: 'compact-xs', variant: 'default', onClick: toggle }}
          aria-expanded={isOpen}
        >
          {isOpen ? 'Hide the receipt' : 'Show the receipt'}
        </Button>
        <CopyButton value={receipt} label="Copy the receipt" />
      </Group>
      <Collapse expanded={isOpen}>
        {isOpen && (
          <>
            <Text size="xs" mt="xs">
              Signed (Ed25519), to be verified with{' '}
              <Anchor
                href="/public/.well-known/jwks.json"
                target="_blank"
                inherit
                underline="always"
              >
                the workspace’s keys
              </Anchor>
              .
            </Text>
            <Code block mt={4} tabIndex={0} aria-label="What the receipt says">
              {JSON.stringify(claims, null, 2)}
            </Code>
          </>
        )}
      </Collapse>
    </Box>
  );
}

/** The claims of a receipt: the payload of its compact JWS. It is shown, not verified. */
function readReceipt(receipt: string): unknown {
  const [, payload = ''] = receipt.split('.');
  const bytes = Uint8Array.from(
    atob(payload.replaceAll('-', '+').replaceAll('_', '/')),
    (letter) => letter.codePointAt(0) ?? 0,
  );
  return JSON.parse(new TextDecoder().decode(bytes)) as unknown;
}
