import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import type { MemberInvitation, RenewedMemberInvitation } from '@postroom/contracts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement, type ReactNode } from 'react';
import { api } from '../../api/api.js';
import { ConfirmButton } from '../../ui/confirm-button.js';
import { CopyButton } from '../../ui/copy-button.js';
import { tellFailure } from '../../ui/notices.js';
import { Row, Rows } from '../../ui/row.js';
import { Section } from '../../ui/page.js';
import { Time } from '../../ui/time.js';
import { invitationsQuery } from '../queries.js';

/** Invitations that are not accepted yet. */
export function Invitations(): ReactElement | null {
  const { data } = useQuery(invitationsQuery);
  const client = useQueryClient();
  const [url, setUrl] = useState<string | null>(null);
  const refresh = (): Promise<void> =>
    client.invalidateQueries({ queryKey: invitationsQuery.queryKey });
  const renew = async ({ id }: MemberInvitation): Promise<void> => {
    const path = `/invitations/${id}/renew`;
    setUrl((await api.post<RenewedMemberInvitation>(path)).invitationUrl);
    await refresh();
  };
  if (!data || (data.items.length === 0 && url === null)) return null;
  return (
    <Section title="Pending invitations" about="They have not chosen a password yet.">
      <Rows label="Pending invitations">
        {data.items.map((invitation) => (
          <Row
            key={invitation.id}
            title={<bdi>{invitation.member.name}</bdi>}
            about={
              <>
                {invitation.member.email},{' '}
                {invitation.expired ? 'its link has expired' : 'its link is good until'}{' '}
                {!invitation.expired && <Time at={invitation.expiresAt} />}
              </>
            }
          >
            <Button
              {...{ size: 'xs', variant: 'default' }}
              aria-label={`New link for ${invitation.member.name}`}
              onClick={() => void renew(invitation).catch(tellFailure)}
            >
              New link
            </Button>
            <ConfirmButton
              {...{ label: 'Revoke', name: `Revoke the invitation of ${invitation.member.name}` }}
              question="Its link stops working. The member stays in the list, without a way to sign in."
              confirm="Revoke it"
              onConfirm={async () => {
                await api.delete(`/invitations/${invitation.id}`);
                await refresh();
              }}
            />
          </Row>
        ))}
      </Rows>
      <Modal opened={url !== null} onClose={() => setUrl(null)} title="The new link">
        <OneTimeLink
          {...{ url: url ?? '', onClose: () => setUrl(null) }}
          about="The link before no longer works. This one works once, within 7 days."
        />
      </Modal>
    </Section>
  );
}

/** A link that is shown this once, to be handed on. */
export const OneTimeLink = (props: {
  url: string;
  about: ReactNode;
  onClose: () => void;
}): ReactElement => (
  <Stack>
    <Text size="sm" component="div">
      {props.about}
    </Text>
    <TextInput
      {...{ label: 'Link', value: props.url, readOnly: true, 'data-autofocus': true }}
      onFocus={({ currentTarget }) => currentTarget.select()}
    />
    <Group justify="space-between">
      <CopyButton value={props.url} label="Copy the link" />
      <Button size="xs" onClick={props.onClose}>
        Done
      </Button>
    </Group>
  </Stack>
);
