import { Group, Text } from '@mantine/core';
import type { Comment } from '@postroom/contracts';
import type { ReactElement } from 'react';
import { PlainText } from '../../mail-frame/plain-text.js';
import { Icon } from '../../ui/icons.js';
import { Time } from '../../ui/time.js';
import classes from '../inbox.module.css';

/** A comment of the team: it looks unlike anything that a correspondent sees. */
export const CommentItem = ({ comment }: { comment: Comment }): ReactElement => (
  <article className={classes.comment} aria-label={`Internal comment by ${comment.author.name}`}>
    <Group gap={6} wrap="nowrap">
      <Icon name={comment.author.type === 'key' ? 'agent' : 'comment'} size={15} />
      <Text size="sm" fw={600} truncate>
        <bdi>{comment.author.name}</bdi>
      </Text>
      <Text size="xs" inherit={false}>
        to the team
      </Text>
      <Text size="xs" ml="auto" style={{ whiteSpace: 'nowrap' }}>
        <Time at={comment.createdAt} />
      </Text>
    </Group>
    <PlainText text={comment.text} />
  </article>
);
