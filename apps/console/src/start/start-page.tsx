import { Anchor, Button, Group, Paper, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import type { Account, ApprovalPage, ConversationPage } from '@postroom/contracts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactElement, ReactNode } from 'react';
import { useAccount } from '../api/account.js';
import { api } from '../api/api.js';
import { keysQuery } from '../keys/keys-query.js';
import { useStreamEvents } from '../stream/stream.js';
import { Icon } from '../ui/icons.js';
import { Page } from '../ui/page.js';

/** The way of a new workspace: mail, teammates, an agent, and its first request. */
export function StartPage(): ReactElement {
  const { workspace, member, mailboxes } = useAccount();
  const { hasMail, hasTeam, hasAgent, hasDecided } = useSteps();
  const isAdmin = member.role === 'admin';
  const done = [hasMail, hasTeam, hasAgent, hasDecided].filter(Boolean).length;
  return (
    <Page
      title="First steps"
      width={760}
      intro={`${done} of 4 done in ${workspace.name}. They can be done in any order.`}
    >
      <Stack gap="sm">
        <Step
          isDone={hasMail}
          title="A mailbox with mail in it"
          to="/settings/mailboxes"
          action="Add a mailbox"
          canDo={isAdmin}
        >
          Add an address by its domain or by its account elsewhere.{' '}
          {isAdmin && mailboxes.length > 0 && (
            <>
              <Anchor component={Link} {...importPlace(mailboxes)} inherit underline="always">
                Import older mail
              </Anchor>{' '}
              from a file.{' '}
            </>
          )}
          {hasMail && (
            <Anchor component={Link} to="/inbox" inherit underline="always">
              See the inbox
            </Anchor>
          )}
        </Step>
        <Step
          isDone={hasTeam}
          title="Teammates"
          to="/settings/people"
          action="Invite somebody"
          canDo={isAdmin}
        >
          Invite those who answer mail, and say who may approve what agents ask for.
        </Step>
        <Step
          isDone={hasAgent}
          title="An agent with a key of its own"
          to={isAdmin ? '/keys/agent' : '/settings/assistants'}
          action={isAdmin ? 'Connect an agent' : 'Connect an assistant'}
          canDo
        >
          {isAdmin
            ? 'Make a key and copy the configuration for Claude, Cursor, VS Code, or any client of MCP. Or '
            : 'Without a key: '}
          <Anchor component={Link} to="/settings/assistants" inherit underline="always">
            paste one address
          </Anchor>{' '}
          into Claude or ChatGPT, and choose what it may do in your mailboxes.
        </Step>
        <Step
          isDone={hasDecided}
          title="The first request decided"
          to="/approvals"
          action="See what waits"
          canDo
        >
          An agent’s writes wait here until a person has read and approved them.
        </Step>
      </Stack>
    </Page>
  );
}

/** The page on which mail is imported, or the choice of its mailbox. */
const importPlace = ([first, ...others]: Account['mailboxes']) =>
  first && others.length === 0
    ? { to: `/settings/mailboxes/${first.id}`, hash: 'import' }
    : { to: '/settings/mailboxes' };

function Step(props: {
  isDone: boolean;
  title: string;
  to: string;
  action: string;
  canDo: boolean;
  children: ReactNode;
}): ReactElement {
  const { isDone, title, to, action, canDo, children } = props;
  return (
    <Paper withBorder p="md">
      <Group wrap="nowrap" align="flex-start">
        <ThemeIcon variant={isDone ? 'filled' : 'default'} color="teal.9" radius="xl" size="md">
          {isDone && <Icon name="check" size={14} />}
        </ThemeIcon>
        <Stack gap={4} flex={1} align="flex-start">
          <Title order={2} size="h5">
            {title}
            {isDone && <span className="visually-hidden">: done</span>}
          </Title>
          <Text size="sm" c="dimmed">
            {children}
          </Text>
          {!isDone && !canDo && <Text size="sm">An administrator of the workspace does this.</Text>}
          {canDo && (
            <Button
              component={Link}
              {...{ to, size: 'xs', mt: 4, variant: isDone ? 'default' : 'filled' }}
            >
              {action}
            </Button>
          )}
        </Stack>
      </Group>
    </Paper>
  );
}

/** The first steps that a workspace has taken. */
function useSteps() {
  const client = useQueryClient();
  const { mailboxes, members, member } = useAccount();
  const mailbox = mailboxes[0]?.address;
  const mail = useQuery({
    queryKey: ['first-steps', 'mail', mailbox],
    queryFn: ({ signal }) =>
      api.get<ConversationPage>('/v1/conversations', { mailbox, limit: 1 }, signal),
    enabled: mailbox !== undefined,
  });
  const decided = useQuery({
    queryKey: ['first-steps', 'decided'],
    queryFn: ({ signal }) =>
      api.get<ApprovalPage>('/approvals', { state: 'executed,rejected,failed', limit: 1 }, signal),
  });
  const keys = useQuery({ ...keysQuery, enabled: member.role === 'admin' });
  useStreamEvents(({ type }) => {
    if (/^(approval|conversation)\./.test(type))
      void client.invalidateQueries({ queryKey: ['first-steps'] });
  });
  const hasDecided = (decided.data?.items.length ?? 0) > 0;
  const isAgent = (keys.data ?? []).some(
    ({ kind, revokedAt }) => kind === 'agent' && revokedAt === null,
  );
  return {
    hasMail: (mail.data?.conversations.length ?? 0) > 0,
    hasTeam: members.length > 1,
    hasAgent: isAgent || hasDecided,
    hasDecided,
  };
}
