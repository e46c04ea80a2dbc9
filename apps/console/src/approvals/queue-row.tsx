import { Badge, Box, Checkbox, Group, Text } from '@mantine/core';
import type { ApprovalRequest, ApprovalState } from '@postroom/contracts';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, type ReactElement } from 'react';
import { useAccount } from '../api/account.js';
import { Icon } from '../ui/icons.js';
import { MarkedText } from '../ui/marked-text.js';
import { Time } from '../ui/time.js';
import style from './approvals.module.css';
import { queueSearch } from './queue.js';
import { rowTextOf } from './request/fields.js';
import { headlineOf, iconOf, mailboxOf, titleOf } from './request/headline.js';
import type { Selection } from './selection.js';

const colours: Partial<Readonly<Record<ApprovalState, string>>> = {
  executed: 'teal',
  failed: 'red',
  rejected: 'red',
  refused: 'orange',
};

/** A request in the queue. */
export function QueueRow(props: {
  approval: ApprovalRequest;
  selection: Selection;
  isCurrent: boolean;
}): ReactElement {
  const { approval, selection, isCurrent } = props;
  const { id, state, requestedBy, createdAt } = approval;
  const account = useAccount();
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isCurrent) row.current?.scrollIntoView({ block: 'nearest' });
  }, [isCurrent]);
  const headline = headlineOf(approval);
  const title = titleOf(approval);
  const mailbox = mailboxOf(approval);
  const canSelect = state === 'pending' && account.member.canApprove;
  return (
    <li className={style.row} ref={row} data-current={isCurrent || undefined}>
      {canSelect ? (
        <Checkbox
          {...{ size: 'xs', mt: 3, checked: selection.has(id) }}
          aria-label={`Select: ${headline} ${title ?? ''}`}
          onChange={() => selection.toggle(id)}
        />
      ) : (
        <Text span c="dimmed" mt={2}>
          <Icon name={iconOf(approval)} size={16} />
        </Text>
      )}
      <Box miw={0}>
        <Link
          {...{ className: style.link, to: '/approvals/$approvalId', params: { approvalId: id } }}
          search={queueSearch}
          aria-current={isCurrent ? 'true' : undefined}
        >
          <Text size="sm" fw={600} truncate component="span" display="block">
            {headline}
          </Text>
          {title !== null && (
            <Text size="sm" truncate component="span" display="block">
              <MarkedText text={title} />
            </Text>
          )}
          <Text size="xs" c="dimmed" truncate component="span" display="block">
            <MarkedText text={rowTextOf(approval, account)} />
          </Text>
        </Link>
        <Group gap={6} wrap="nowrap" justify="space-between">
          <Text size="xs" c="dimmed" truncate>
            <MarkedText text={requestedBy.name} />
            {mailbox !== null && ` · ${mailbox}`}
          </Text>
          {state === 'pending' ? (
            <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
              <Time at={createdAt} />
            </Text>
          ) : (
            <Badge
              size="xs"
              variant="light"
              tt="none"
              color={colours[state] ?? 'gray'}
              miw="fit-content"
            >
              {state}
            </Badge>
          )}
        </Group>
      </Box>
    </li>
  );
}
