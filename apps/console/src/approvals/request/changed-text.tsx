import { Button, Group, Text } from '@mantine/core';
import { diffLines, diffWordsWithSpace, type Change } from 'diff';
import { useMemo, useState, type ReactElement } from 'react';
import { MarkedText } from '../../ui/marked-text.js';
import { LongText } from './long-text.js';
import style from './request.module.css';

/** Longer texts are compared by lines. */
const wordsMax = 20_000;
const charactersMax = 6_000;
/** Characters that are shown of an unchanged part, beside each change. */
const edge = 150;
/** A comparison that takes longer is given up, and both texts are shown. */
const timeoutMs = 400;

/** The changes between two texts; null where they are too far apart to compare. */
export function changesOf(before: string, after: string): readonly Change[] | null {
  const isShort = before.length + after.length <= wordsMax;
  const options = { timeout: timeoutMs };
  const found = isShort
    ? diffWordsWithSpace(before, after, options)
    : diffLines(before, after, options);
  return found ?? null;
}

/** A text before and after, by words or lines. */
export function ChangedText({ before, after }: { before: string; after: string }): ReactElement {
  const changes = useMemo(() => changesOf(before, after), [before, after]);
  const [isWhole, setIsWhole] = useState(false);
  if (!changes) return <BothTexts before={before} after={after} />;
  const shown = isWhole ? changes : beginningOf(changes, charactersMax);
  return (
    <>
      <div className={style.text}>
        {shown.map((change, at) => (
          <Part key={at} change={change} isWhole={isWhole} />
        ))}
      </div>
      {countOf(changes) > 1 && (
        <Text size="xs" c="dimmed">
          {countOf(changes).toLocaleString('en')} changes
        </Text>
      )}
      {!isWhole && (shown.length < changes.length || changes.some(isShortened)) && (
        <Group gap="xs" mt="xs">
          <Button size="compact-xs" variant="light" onClick={() => setIsWhole(true)}>
            Show all
          </Button>
          {shown.length < changes.length && (
            <Text size="xs" c="dimmed">
              {countOf(changes.slice(shown.length)).toLocaleString('en')} more changes
            </Text>
          )}
        </Group>
      )}
    </>
  );
}

const isChanged = ({ added, removed }: Change): boolean => added || removed;
const isShortened = (change: Change): boolean =>
  !isChanged(change) && change.value.length > 3 * edge;

/** The number of changes: a part that is replaced is one. */
const countOf = (changes: readonly Change[]): number =>
  changes.filter((change, at) => {
    const last = changes[at - 1];
    return isChanged(change) && !(last && isChanged(last));
  }).length;

function Part({ change, isWhole }: { change: Change; isWhole: boolean }): ReactElement {
  const { value } = change;
  if (!isWhole && isShortened(change)) return <Edges text={value} />;
  const text =
    value.length > charactersMax ? <LongText text={value} /> : <MarkedText text={value} />;
  if (change.added) return <ins className={style.new}>{text}</ins>;
  if (change.removed) return <del className={style.gone}>{text}</del>;
  return text;
}

/** A long unchanged part, by its edges. */
const Edges = ({ text }: { text: string }): ReactElement => (
  <>
    <MarkedText text={text.slice(0, edge)} />
    <Text span inherit c="dimmed" fs="italic">
      {` … ${(text.length - 2 * edge).toLocaleString('en')} unchanged characters … `}
    </Text>
    <MarkedText text={text.slice(-edge)} />
  </>
);

/** The first changes, up to a number of changed characters. */
function beginningOf(changes: readonly Change[], max: number): readonly Change[] {
  let length = 0;
  const end = changes.findIndex(
    (change) => (length += isChanged(change) ? change.value.length : 0) > max,
  );
  return end < 0 ? changes : changes.slice(0, Math.max(1, end));
}

const BothTexts = ({ before, after }: { before: string; after: string }): ReactElement => (
  <>
    <Text size="xs" c="dimmed">
      Before
    </Text>
    <LongText text={before} />
    <Text size="xs" c="dimmed" mt="xs">
      After
    </Text>
    <LongText text={after} />
  </>
);
