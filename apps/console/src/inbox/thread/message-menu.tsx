import { Menu } from '@mantine/core';
import type { Message } from '@postroom/contracts';
import { useState, type ReactElement } from 'react';
import { urlOf } from '../../api/api.js';
import { MoreMenu } from '../../ui/more-menu.js';
import { HeadersDialog } from './headers-dialog.js';

/** Commands that are seldom wanted of a message. */
export function MessageMenu(props: {
  message: Message;
  mailbox: string;
  isPlain: boolean;
  onPlain: () => void;
}): ReactElement {
  const { message, mailbox, isPlain, onPlain } = props;
  const [showsHeaders, setShowsHeaders] = useState(false);
  return (
    <>
      <MoreMenu label="More of this message" width={210} shadow="md">
        {message.html !== null && (
          <Menu.Item onClick={onPlain}>
            {isPlain ? 'Show as it was designed' : 'Show as plain text'}
          </Menu.Item>
        )}
        <Menu.Item onClick={() => setShowsHeaders(true)}>Header fields</Menu.Item>
        <Menu.Item
          component="a"
          href={urlOf(`/v1/messages/${message.id}/raw`, { mailbox })}
          download={`${message.id}.eml`}
        >
          Download the original
        </Menu.Item>
      </MoreMenu>
      <HeadersDialog
        {...{ id: message.id, mailbox, isOpen: showsHeaders }}
        onClose={() => setShowsHeaders(false)}
      />
    </>
  );
}
