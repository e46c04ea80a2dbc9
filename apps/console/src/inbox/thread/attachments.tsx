import { Anchor, Group, Text } from '@mantine/core';
import type { Attachment, Message } from '@postroom/contracts';
import type { ReactElement } from 'react';
import { urlOf } from '../../api/api.js';
import { sizeText } from '../../compose/words.js';
import { Icon } from '../../ui/icons.js';
import classes from '../inbox.module.css';

/** True if browsers show the type, and execute nothing of it. */
const isShown = ({ mimeType }: Attachment): boolean =>
  /^(image\/(png|jpeg|gif|webp)|text\/plain|audio\/|video\/)/.test(mimeType);

/** Files of a message that do not stand in its text. */
export function Attachments(props: { message: Message; mailbox: string }): ReactElement | null {
  const { message, mailbox } = props;
  const files = message.attachments.filter(({ inline }) => !inline || message.html === null);
  if (files.length === 0) return null;
  return (
    <Group gap="xs" mt="sm" component="ul" className={classes.files} aria-label="Files">
      {files.map((file) => (
        <li key={file.id} className={classes.file}>
          <Icon name="attach" size={16} />
          <span className={classes.lines}>
            <Anchor
              {...{
                size: 'sm',
                truncate: true,
                display: 'block',
                target: '_blank',
                rel: 'noopener',
              }}
              href={urlOf(`/v1/attachments/${file.id}`, {
                mailbox,
                ...(isShown(file) && { inline: true }),
              })}
            >
              <bdi>{file.filename ?? 'Unnamed file'}</bdi>
            </Anchor>
            <Text size="xs" c="dimmed" truncate component="span" display="block">
              {sizeText(file.size)}, {file.mimeType}
              {file.declaredMimeType !== null && file.declaredMimeType !== file.mimeType
                ? `, said to be ${file.declaredMimeType}`
                : ''}
            </Text>
          </span>
        </li>
      ))}
    </Group>
  );
}
