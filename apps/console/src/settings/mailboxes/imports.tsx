import type { ImportCounts, Mailbox, MailImport } from '@postroom/contracts';
import { Alert, Badge, Button, FileButton, Group, Progress, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState, type ReactElement } from 'react';
import { api } from '../../api/api.js';
import { ApiProblem } from '../../api/problem.js';
import { upload } from '../../api/upload.js';
import { useUnsavedText } from '../../shell/unsaved.js';
import { useStreamEvents } from '../../stream/stream.js';
import { Icon } from '../../ui/icons.js';
import { tellFailure } from '../../ui/notices.js';
import { Row, Rows } from '../../ui/row.js';
import { Section } from '../../ui/page.js';
import { FormFault } from '../../ui/submit.js';
import { Time } from '../../ui/time.js';
import { importsQuery } from '../queries.js';

/** The time between two looks at the counts of an import that runs, in milliseconds. */
const lookEveryMs = 1_500;

/** A file is sent as the kind of mail that its name says. */
const typeOf = (name: string): string =>
  name.toLowerCase().endsWith('.eml') ? 'message/rfc822' : 'application/mbox';

interface Upload {
  readonly name: string;
  readonly size: number;
  readonly sent: number;
}

/** Brings mail in from a file, with its progress, and the imports before. */
export function Imports({ mailbox }: { mailbox: Mailbox }): ReactElement {
  const client = useQueryClient();
  const query = importsQuery(mailbox.id);
  const { data } = useQuery(query);
  const [current, setCurrent] = useState<Upload | null>(null);
  const [result, setResult] = useState<ImportCounts | null>(null);
  const [fault, setFault] = useState<unknown>(null);
  const looked = useRef(0);
  useUnsavedText(current !== null);
  const refresh = (): Promise<void> => client.invalidateQueries({ queryKey: query.queryKey });
  useStreamEvents(({ type }) => {
    if (type.startsWith('import.') || type === 'reset') void refresh();
  });
  const run = async (file: File): Promise<void> => {
    const { name, size } = file;
    setCurrent({ name, size, sent: 0 });
    setFault(null);
    setResult(null);
    try {
      const path = `/mailboxes/${mailbox.id}/import`;
      const typed = new Blob([file], { type: typeOf(name) });
      const counts = await upload<ImportCounts>(path, {}, typed, (sent) => {
        setCurrent({ name, size, sent });
        if (performance.now() - looked.current < lookEveryMs) return;
        looked.current = performance.now();
        void refresh();
      }).done;
      setResult(counts);
    } catch (error) {
      if (!(error instanceof ApiProblem) || error.code !== 'IMPORT_STOPPED') setFault(error);
    } finally {
      setCurrent(null);
      await refresh();
    }
  };
  return (
    <Section
      {...{ id: 'import', title: 'Import mail' }}
      about="An mbox file (Thunderbird, Google Takeout, most servers) or one message (.eml). What the mailbox has already is left out."
      actions={
        <FileButton
          {...{ accept: '.mbox,.mbx,.eml,application/mbox,message/rfc822' }}
          onChange={(file) => file && void run(file)}
        >
          {(props) => (
            <Button
              {...{ ...props, variant: 'default', size: 'xs', disabled: current !== null }}
              leftSection={<Icon name="upload" size={14} />}
            >
              Choose a file
            </Button>
          )}
        </FileButton>
      }
    >
      {current && <UploadProgress upload={current} />}
      {result && <Result counts={result} />}
      <FormFault fault={fault} />
      {data && data.items.length > 0 && (
        <Rows label="Imports">
          {data.items.map((one) => (
            <ImportRow key={one.id} {...{ one, mailboxId: mailbox.id, onStopped: refresh }} />
          ))}
        </Rows>
      )}
    </Section>
  );
}

function UploadProgress({ upload: { name, size, sent } }: { upload: Upload }): ReactElement {
  const percent = size === 0 ? 100 : Math.round((100 * sent) / size);
  return (
    <Stack gap={4}>
      <Group justify="space-between">
        <Text size="sm">
          Importing <bdi>{name}</bdi>; leave this page open.
        </Text>
        <Text size="sm">{percent} %</Text>
      </Group>
      <Progress.Root>
        <Progress.Section value={percent} aria-label="Import" animated />
      </Progress.Root>
    </Stack>
  );
}

const Result = ({ counts }: { counts: ImportCounts }): ReactElement => (
  <Alert color="teal" role="status">
    {countsOf(counts)}
  </Alert>
);

/** As "12 messages imported, 3 were there already, 1 could not be read". */
const countsOf = ({ imported, duplicates, unparsed }: ImportCounts): string =>
  [
    imported === 1 ? '1 message imported' : `${imported} messages imported`,
    ...(duplicates > 0 ? [`${duplicates} were there already`] : []),
    ...(unparsed > 0 ? [`${unparsed} could not be read`] : []),
  ].join(', ');

const stateNames = { running: 'Running', done: 'Done', failed: 'Failed', stopped: 'Stopped' };
const stateColours = { running: 'indigo', done: 'teal', failed: 'red', stopped: 'gray' };

function ImportRow(props: {
  one: MailImport;
  mailboxId: string;
  onStopped: () => Promise<void>;
}): ReactElement {
  const { one } = props;
  const stop = (): void => {
    api
      .delete(`/mailboxes/${props.mailboxId}/imports/${one.id}`)
      .then(() => props.onStopped(), tellFailure);
  };
  return (
    <Row
      title={countsOf(one)}
      about={
        <>
          Begun <Time at={one.startedAt} />
        </>
      }
    >
      <Badge variant="light" color={stateColours[one.state]}>
        {stateNames[one.state]}
      </Badge>
      {one.state === 'running' && (
        <Button size="xs" variant="default" onClick={stop}>
          Stop
        </Button>
      )}
    </Row>
  );
}
