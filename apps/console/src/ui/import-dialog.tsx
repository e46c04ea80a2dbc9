import type { ImportOutcome } from '@postroom/contracts';
import { Alert, Button, FileInput, Group, Modal, Progress, Stack, Table } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { upload } from '../api/upload.js';
import { Icon } from './icons.js';
import { ErrorState } from './states.js';

interface ImportProps {
  readonly title: string;
  /** The route that takes the file, and with `dryRun` judges it alone. */
  readonly path: string;
  /** Media types by the endings of names, as `.ics`. */
  readonly types: Readonly<Record<string, string>>;
  /** One entry and several, as `contact` and `contacts`. */
  readonly entries: readonly [string, string];
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** An import: a file is judged first, and what would happen is shown; nothing is stored before that. */
export function ImportDialog(props: ImportProps): ReactElement {
  const { file, preview, done, part, failure, choose, store } = useImport(props);
  const outcome = done ?? preview;
  const mayStore = part === null && preview !== null && !isEmpty(preview);
  const endings = Object.keys(props.types);
  return (
    <Modal opened onClose={props.onClose} title={props.title} size="lg">
      <Stack>
        {!done && (
          <FileInput
            {...{ label: 'File', placeholder: 'Choose a file', value: file, onChange: choose }}
            {...{ accept: endings.join(','), disabled: part !== null }}
            description={`${endings.join(' or ')}; it is looked at first, and nothing is stored yet`}
          />
        )}
        {part !== null && (
          <Progress
            {...{ value: part * 100, animated: true }}
            aria-label={preview ? 'Importing' : 'Reading the file'}
          />
        )}
        {failure !== null && <ErrorState error={failure} />}
        {outcome && <Outcome {...{ outcome, isDone: done !== null, entries: props.entries }} />}
        <Actions {...{ isDone: done !== null, mayStore, store, onClose: props.onClose }} />
      </Stack>
    </Modal>
  );
}

const Actions = (props: {
  isDone: boolean;
  mayStore: boolean;
  store: () => void;
  onClose: () => void;
}): ReactElement => (
  <Group justify="flex-end">
    <Button variant="default" onClick={props.onClose}>
      {props.isDone ? 'Close' : 'Cancel'}
    </Button>
    {!props.isDone && (
      <Button disabled={!props.mayStore} onClick={props.store}>
        Import
      </Button>
    )}
  </Group>
);

function useImport({ path, types, onDone }: ImportProps) {
  const [file, setFile] = useState<File | null>(null);
  const [preview, setPreview] = useState<ImportOutcome | null>(null);
  const [done, setDone] = useState<ImportOutcome | null>(null);
  const [part, setPart] = useState<number | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const send = async (chosen: File, dryRun: boolean): Promise<void> => {
    setFailure(null);
    setPart(0);
    try {
      const typed = new Blob([chosen], { type: typeOf(chosen.name, types) });
      const outcome = await upload<ImportOutcome>(path, { dryRun }, typed, (sent) =>
        setPart(sent / Math.max(1, typed.size)),
      ).done;
      if (dryRun) setPreview(outcome);
      else {
        setDone(outcome);
        onDone();
      }
    } catch (error) {
      setFailure(error);
    }
    setPart(null);
  };
  const choose = (chosen: File | null): void => {
    setFile(chosen);
    setPreview(null);
    if (chosen) void send(chosen, true);
  };
  const store = (): void => {
    if (file) void send(file, false);
  };
  return { file, preview, done, part, failure, choose, store };
}

const isEmpty = ({ created, updated }: ImportOutcome): boolean => created + updated === 0;

const typeOf = (name: string, types: ImportProps['types']): string => {
  const ending = /\.[^.]*$/.exec(name)?.[0].toLowerCase() ?? '';
  return types[ending] ?? Object.values(types)[0] ?? '';
};

function Outcome(props: {
  outcome: ImportOutcome;
  isDone: boolean;
  entries: readonly [string, string];
}): ReactElement {
  const { outcome, isDone, entries } = props;
  const { created, updated, unreadable, unreadableCount, warnings, warningCount } = outcome;
  const count = (n: number): string => `${n.toLocaleString('en')} ${entries[n === 1 ? 0 : 1]}`;
  return (
    <Stack gap="sm" aria-live="polite">
      <Alert color={isDone ? 'teal' : 'indigo'} icon={<Icon name={isDone ? 'check' : 'info'} />}>
        {isDone
          ? `${count(created)} created, ${updated} updated.`
          : `${count(created)} would be created, ${updated} updated.`}
        {unreadableCount > 0 && ` ${count(unreadableCount)} cannot be read.`}
        {warningCount > 0 && ` Of ${warningCount} something is left out or changed.`}
      </Alert>
      <Reasons title="Cannot be read" reasons={unreadable} />
      <Reasons title="Taken, but not whole" reasons={warnings} />
    </Stack>
  );
}

/** Reasons that are listed; the rest is counted. */
const shownMax = 50;

function Reasons(props: {
  title: string;
  reasons: readonly { readonly entry: number; readonly reason: string }[];
}): ReactElement | null {
  const { title, reasons } = props;
  if (reasons.length === 0) return null;
  return (
    <Table.ScrollContainer minWidth={260} maxHeight={220}>
      <Table
        captionSide="top"
        data={{
          ...{ caption: title, head: ['Entry', 'Why'] },
          body: reasons.slice(0, shownMax).map(({ entry, reason }) => [entry, reason]),
        }}
      />
    </Table.ScrollContainer>
  );
}
