import type { Member, ResetLink } from '@postroom/contracts';
import { Menu, Modal } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { api } from '../../api/api.js';
import { MoreMenu } from '../../ui/more-menu.js';
import { AskDialog } from '../../ui/ask-dialog.js';
import { offerUndo, tellDone, tellFailure } from '../../ui/notices.js';
import { membersQuery } from '../queries.js';
import { OneTimeLink } from './invitations.js';

interface MemberMenuProps {
  readonly member: Member;
  readonly isMe: boolean;
  readonly onEdit: () => void;
}

/** Changes that cannot be undone are asked for once more, in a dialog. */
const questions = {
  factor: {
    title: 'Reset the second factors',
    text: 'All second factors of this member are removed and its sessions end. Do it only if you know that it is the member who asks.',
    confirm: 'Reset them',
    done: 'The second factors are removed.',
    run: ({ id }: Member) => api.delete(`/members/${id}/second-factor`),
  },
  remove: {
    title: 'Remove the member',
    text: 'Its sessions end, and its keys lose their member. What it has written stays. To keep the way back open, deactivate it instead.',
    confirm: 'Remove',
    done: 'The member is removed.',
    run: ({ id, version }: Member) => api.delete(`/members/${id}`, { ifMatch: version }),
  },
} as const;

/** The actions of an administrator on a member. */
export function MemberMenu({ member, isMe, onEdit }: MemberMenuProps): ReactElement {
  const client = useQueryClient();
  const [link, setLink] = useState<string | null>(null);
  const [asked, setAsked] = useState<keyof typeof questions | null>(null);
  const refresh = (): Promise<void> => client.invalidateQueries({ queryKey: ['settings'] });
  const setActive = async (active: boolean): Promise<void> => {
    try {
      await api.patch(`/members/${member.id}`, { active });
      await client.invalidateQueries({ queryKey: membersQuery.queryKey });
    } catch (error) {
      tellFailure(error, () => void setActive(active));
      return;
    }
    if (!active) offerUndo(`${member.name} can no longer sign in.`, () => void setActive(true));
  };
  const makeLink = (): void => {
    api
      .post<ResetLink>(`/members/${member.id}/reset-link`)
      .then(({ resetUrl }) => setLink(resetUrl), tellFailure);
  };
  return (
    <>
      <MoreMenu label={`Actions for ${member.name}`} width={230}>
        <Menu.Item onClick={onEdit}>Change name or rights</Menu.Item>
        <Menu.Item onClick={makeLink}>Make a reset link</Menu.Item>
        <Menu.Item onClick={() => setAsked('factor')}>Reset second factors</Menu.Item>
        <Menu.Divider />
        <Menu.Item disabled={isMe} onClick={() => void setActive(!member.active)}>
          {member.active ? 'Deactivate' : 'Activate'}
        </Menu.Item>
        <Menu.Item color="red" disabled={isMe} onClick={() => setAsked('remove')}>
          Remove
        </Menu.Item>
      </MoreMenu>
      <Modal opened={link !== null} onClose={() => setLink(null)} title="Link to a new password">
        <OneTimeLink
          {...{ url: link ?? '', onClose: () => setLink(null) }}
          about={
            <>
              With this link <bdi>{member.name}</bdi> chooses a new password. It works once, within
              7 days.
            </>
          }
        />
      </Modal>
      {asked && (
        <AskDialog
          {...{ title: questions[asked].title, confirm: questions[asked].confirm }}
          onClose={() => setAsked(null)}
          onConfirm={async () => {
            await questions[asked].run(member);
            tellDone(questions[asked].done);
            await refresh();
          }}
        >
          <b>
            <bdi>{member.name}</bdi>
          </b>{' '}
          ({member.email}): {questions[asked].text}
        </AskDialog>
      )}
    </>
  );
}
