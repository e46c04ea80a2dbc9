import { Alert, Badge, Box, Button, Group, Stack, Text, Title } from '@mantine/core';
import type { ApprovalRequest } from '@postroom/contracts';
import { useState, type ReactElement } from 'react';
import { useAccount } from '../api/account.js';
import { usePresentAt } from '../inbox/presence.js';
import { CopyButton } from '../ui/copy-button.js';
import { Icon } from '../ui/icons.js';
import { MarkedText } from '../ui/marked-text.js';
import { Time, ZonedTime } from '../ui/time.js';
import { ChangeForm } from './changes/change-form.js';
import { Outcome } from './outcome.js';
import { DecisionBar } from './decision-bar.js';
import { DraftContext } from './several-effect.js';
import { isOpen } from './queue.js';
import { useTellLooking } from './presence.js';
import { effectOf, headlineOf, iconOf, isTimed, mailboxOf, titleOf } from './request/headline.js';
import { RequestView } from './request/request-view.js';

/** A request as it is decided: who asks, what it is, and the decision. */
export function ApprovalView(props: {
  approval: ApprovalRequest;
  onDecided: () => void;
}): ReactElement {
  const { approval, onDecided } = props;
  const [isChanging, setIsChanging] = useState(false);
  const [reason, setReason] = useState('');
  const { member } = useAccount();
  const isPending = approval.state === 'pending';
  useTellLooking(approval, isPending);
  return (
    <Stack gap="md">
      <Heading approval={approval} />
      {isOpen(approval) && <Colleagues id={approval.id} />}
      {!isPending && <Outcome approval={approval} />}
      <UnsentReason {...{ approval, reason, onDrop: () => setReason('') }} />
      {isPending && isChanging ? (
        <ChangeForm {...{ approval, onDecided }} onCancel={() => setIsChanging(false)} />
      ) : (
        <>
          <DraftContext approval={approval} />
          <RequestView approval={approval} />
        </>
      )}
      {isPending && !isChanging && member.canApprove && (
        <DecisionBar
          {...{ approval, onDecided, reason, onReason: setReason }}
          onChange={() => setIsChanging(true)}
        />
      )}
      {isPending && !member.canApprove && <NoRight />}
    </Stack>
  );
}

function Heading({ approval }: { approval: ApprovalRequest }): ReactElement {
  const { requestedBy, createdAt, expiresAt, channel, state } = approval;
  const { workspace } = useAccount();
  const title = titleOf(approval);
  const mailbox = mailboxOf(approval);
  return (
    <Box>
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <Text span c="indigo" mt={3}>
          <Icon name={iconOf(approval)} size={22} />
        </Text>
        <Title order={2} size="h3">
          {headlineOf(approval)}
          {title !== null && (
            <>
              {' '}
              <MarkedText text={`“${title}”`} />
            </>
          )}
        </Title>
      </Group>
      {state === 'pending' && effectOf(approval) !== undefined && (
        <Text size="sm">{effectOf(approval)}</Text>
      )}
      {isTimed(approval) && (
        <Text size="sm">
          <MarkedText text={approval.summary} />
        </Text>
      )}
      <Text size="sm" c="dimmed" mt={4}>
        Asked by{' '}
        <Text span inherit fw={600} c="var(--mantine-color-text)">
          <MarkedText text={requestedBy.name} />
        </Text>
        {requestedBy.client !== null && (
          <>
            {' '}
            with <MarkedText text={requestedBy.client} />
          </>
        )}{' '}
        over {channel === 'mcp' ? 'MCP' : 'the API'}, <Time at={createdAt} form="relative" />
        {mailbox !== null && <> in {mailbox}</>}
      </Text>
      {state === 'pending' && (
        <Text size="sm" c="dimmed">
          Expires <Time at={expiresAt} form="relative" />,{' '}
          <ZonedTime at={expiresAt} zone={workspace.timeZone} />
        </Text>
      )}
    </Box>
  );
}

/** A reason that was typed while another member decided. */
function UnsentReason(props: {
  approval: ApprovalRequest;
  reason: string;
  onDrop: () => void;
}): ReactElement | null {
  const { approval, reason, onDrop } = props;
  const { member } = useAccount();
  const isOpenOrOwn = approval.state === 'pending' || approval.decidedBy === member.email;
  if (reason.trim() === '' || isOpenOrOwn) return null;
  return (
    <Alert color="yellow" variant="light" title="Your reason was not sent">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">The request was closed while you wrote. The agent has not seen this:</Text>
        <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          <bdi>{reason}</bdi>
        </Text>
        <Group gap="xs">
          <CopyButton value={reason} label="Copy it" />
          <Button size="compact-xs" variant="subtle" onClick={onDrop}>
            Put it away
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

/** The colleagues who look at the same request now. */
function Colleagues({ id }: { id: string }): ReactElement | null {
  const { member } = useAccount();
  const others = usePresentAt(id).filter((one) => one.id !== member.id);
  if (others.length === 0) return null;
  return (
    <Group gap="xs" role="status">
      <Badge variant="light" color="yellow" tt="none" leftSection={<Icon name="eye" size={12} />}>
        <bdi>{others.map(({ name }) => name).join(', ')}</bdi>{' '}
        {others.length === 1 ? 'looks' : 'look'} at this too
      </Badge>
    </Group>
  );
}

/** Names those who can decide, for a member who cannot. */
function NoRight(): ReactElement {
  const { members } = useAccount();
  const deciders = members.filter(({ canApprove }) => canApprove).map(({ name }) => name);
  return (
    <Alert color="gray" variant="light" icon={<Icon name="info" />}>
      You may read this, but not decide it.{' '}
      {deciders.length > 0 && (
        <>
          <bdi>{new Intl.ListFormat('en', { type: 'disjunction' }).format(deciders)}</bdi> can.{' '}
        </>
      )}
      An administrator can give you the right to approve.
    </Alert>
  );
}
