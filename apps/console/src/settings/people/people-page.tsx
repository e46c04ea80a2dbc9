import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactElement } from 'react';
import { useShortcuts } from '../../shell/shortcuts.js';
import { Icon } from '../../ui/icons.js';
import { Page } from '../../ui/page.js';
import { Invitations } from './invitations.js';
import { InviteDialog } from './member-dialogs.js';
import { Members } from './members.js';
import { Teams } from './teams.js';

export function PeoplePage(): ReactElement {
  const [isInviting, { open, close }] = useDisclosure(false);
  useShortcuts([{ keys: 'n', label: 'Invite somebody', run: open }]);
  return (
    <Page
      title="People"
      intro="Who works here, what they may change, and the teams that conversations go to."
      width={960}
      actions={
        <Button leftSection={<Icon name="plus" size={16} />} onClick={open}>
          Invite
        </Button>
      }
    >
      <InviteDialog opened={isInviting} onClose={close} />
      <Members />
      <Invitations />
      <Teams />
    </Page>
  );
}
