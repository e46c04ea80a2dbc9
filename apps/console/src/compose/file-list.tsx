import { ActionIcon, Alert, Button, Group, Paper, Progress, Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { messageOf } from '../api/problem.js';
import { Icon } from '../ui/icons.js';
import type { AttachedFile } from './content.js';
import type { FileOnItsWay, Uploads } from './uploads.js';
import { sizeText } from './words.js';

/** The files of a message: those that are there, and those on their way. */
export function FileList(props: {
  files: readonly AttachedFile[];
  uploads: Uploads;
  isFrozen: boolean;
  onRemove: (id: string) => void;
}): ReactElement | null {
  const { files, uploads, isFrozen } = props;
  if (files.length === 0 && uploads.files.length === 0 && uploads.refusal === null) return null;
  return (
    <Stack gap={6} px="sm" pb="xs" role="group" aria-label="Files">
      {uploads.refusal !== null && (
        <Alert color="red" variant="light" p="xs" role="alert">
          {uploads.refusal}
        </Alert>
      )}
      <Group gap={6}>
        {files.map((file) => (
          <Paper withBorder px="xs" py={4} key={file.id}>
            <Group gap={6} wrap="nowrap">
              <Icon name="attach" size={14} />
              <Text size="sm" truncate maw={220}>
                <bdi>{file.filename ?? 'file'}</bdi>
              </Text>
              <Text size="xs" c="dimmed">
                {sizeText(file.size)}
              </Text>
              <ActionIcon
                {...{ variant: 'subtle', color: 'gray', size: 'sm', disabled: isFrozen }}
                aria-label={`Remove ${file.filename ?? 'file'}`}
                onClick={() => props.onRemove(file.id)}
              >
                <Icon name="cross" size={14} />
              </ActionIcon>
            </Group>
          </Paper>
        ))}
        {uploads.files.map((file) => (
          <UnderWay key={file.id} {...{ file, uploads }} />
        ))}
      </Group>
    </Stack>
  );
}

function UnderWay({ file, uploads }: { file: FileOnItsWay; uploads: Uploads }): ReactElement {
  const { name, size } = file.source;
  const percent = Math.round(file.share * 100);
  return (
    <Paper withBorder px="xs" py={4} w={260}>
      <Group gap={6} wrap="nowrap">
        <Text size="sm" truncate flex={1}>
          <bdi>{name}</bdi>
        </Text>
        <Text size="xs" c="dimmed">
          {file.error === null ? `${percent} % of ${sizeText(size)}` : 'not uploaded'}
        </Text>
        <ActionIcon
          {...{ variant: 'subtle', color: 'gray', size: 'sm' }}
          aria-label={`Remove ${name}`}
          onClick={() => {
            file.stop();
            uploads.remove(file.id);
          }}
        >
          <Icon name="cross" size={14} />
        </ActionIcon>
      </Group>
      {file.error === null ? (
        <Progress value={percent} size="xs" aria-label={`Upload of ${name}`} />
      ) : (
        <Group gap={6} wrap="nowrap">
          <Text size="xs" c="red">
            {messageOf(file.error)}
          </Text>
          <Button size="compact-xs" variant="default" onClick={() => uploads.retry(file)}>
            Try again
          </Button>
        </Group>
      )}
    </Paper>
  );
}
