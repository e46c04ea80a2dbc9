import type { Member } from '@postroom/contracts';
import { Avatar, Badge, Group } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { useAccount } from '../../api/account.js';
import { Row, Rows } from '../../ui/row.js';
import { Section } from '../../ui/page.js';
import { QueryState } from '../../ui/states.js';
import { invitationsQuery, membersQuery } from '../queries.js';
import { EditMember } from './member-dialogs.js';
import { MemberMenu } from './member-menu.js';

/** Members who can sign in, and those who no longer can. */
export function Members(): ReactElement {
  const query = useQuery(membersQuery);
  const [edited, setEdited] = useState<Member | null>(null);
  const client = useQueryClient();
  const close = (): void => {
    setEdited(null);
    void client.invalidateQueries({ queryKey: membersQuery.queryKey });
  };
  return (
    <Section title="Members">
      <QueryState query={query}>
        {({ items }) => (
          <Rows label="Members">
            {items.toSorted(byActivity).map((member) => (
              <MemberRow key={member.id} {...{ member, onEdit: () => setEdited(member) }} />
            ))}
          </Rows>
        )}
      </QueryState>
      <EditMember key={edited?.id ?? ''} member={edited} onClose={close} />
    </Section>
  );
}

const byActivity = (a: Member, b: Member): number => Number(b.active) - Number(a.active);

function MemberRow({ member, onEdit }: { member: Member; onEdit: () => void }): ReactElement {
  const { member: me } = useAccount();
  const { id, name, email, active } = member;
  const { data: invitations } = useQuery(invitationsQuery);
  const isInvited = invitations?.items.some((one) => one.member.id === id) ?? false;
  return (
    <Row
      start={
        <Avatar {...{ name, size: 32, color: active && !isInvited ? 'indigo' : 'gray' }} alt="" />
      }
      title={
        <>
          <bdi>{name}</bdi>
          {id === me.id && ' (you)'}
        </>
      }
      about={email}
    >
      <MemberBadges {...{ member, isInvited }} />
      <MemberMenu {...{ member, isMe: id === me.id, onEdit }} />
    </Row>
  );
}

function MemberBadges({ member, isInvited }: { member: Member; isInvited: boolean }): ReactElement {
  const { role, canApprove, active } = member;
  return (
    <Group gap={6}>
      {!active && (
        <Badge color="gray" variant="light">
          Deactivated
        </Badge>
      )}
      {isInvited && (
        <Badge color="yellow" variant="light">
          Invited
        </Badge>
      )}
      {canApprove && active && (
        <Badge color="teal" variant="light">
          Approves
        </Badge>
      )}
      {role === 'admin' && <Badge variant="light">Administrator</Badge>}
    </Group>
  );
}
