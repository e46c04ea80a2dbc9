import { Anchor, SegmentedControl, Text } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { useAccount } from '../../api/account.js';
import { sizeText } from '../../compose/words.js';
import { MarkedText } from '../../ui/marked-text.js';
import { ZonedTime } from '../../ui/time.js';
import { ChangedText } from './changed-text.js';
import {
  isDerived,
  labelOf,
  type ShownField,
  type ShownFile,
  type ShownRequest,
} from './fields.js';
import type { Fields } from './headline.js';
import { NamedConversation } from './named-conversation.js';
import { LongText } from './long-text.js';
import { plainValue, timeOf } from './plain-value.js';
import { readableMail } from './readable-mail.js';
import style from './request.module.css';

const Nothing = ({ name }: { name: string }): ReactElement => (
  <Text span c="dimmed" fs="italic" inherit>
    {name === 'to' ? 'nobody yet' : 'nothing'}
  </Text>
);

/** A value alone, as it would be read. */
function FieldValue({ name, value }: { name: string; value: unknown }): ReactElement {
  const account = useAccount();
  const time = timeOf(name, value);
  if (time !== null) return <ZonedTime at={time} zone={account.workspace.timeZone} />;
  const text = plainValue(name, value, account);
  if (text === null) return <Nothing name={name} />;
  if (name === 'attachments') return <Files files={value as readonly ShownFile[]} />;
  if (name === 'threadId') return <NamedConversation id={text} />;
  if (name === 'created') return <Made all={value as readonly Fields[]} />;
  return <LongText text={name === 'body' ? readableMail(text) : text} />;
}

/** Further resources that a change makes, such as the series of the occurrences that follow. */
const Made = ({ all }: { all: readonly Fields[] }): ReactElement => (
  <>
    {all.map((made, at) => (
      <dl key={at} className={style.fields}>
        {Object.entries(made).map(([name, value]) =>
          isDerived(name) ? null : (
            <div key={name} className={style.pair}>
              <dt>{labelOf(name)}</dt>
              <dd>
                <FieldValue name={name} value={value} />
              </dd>
            </div>
          ),
        )}
      </dl>
    ))}
  </>
);

/** Values that are no text to compare by words. */
const isWhole = ({ name, before, after }: ShownField): boolean =>
  name === 'attachments' ||
  name === 'threadId' ||
  timeOf(name, before) !== null ||
  timeOf(name, after) !== null;

/** A field that changes: old and new, by words where both are texts. */
function FieldChange(field: ShownField): ReactElement {
  const { name, before, after } = field;
  const account = useAccount();
  // Without an old value, the new one says all.
  if (before === undefined || before === '' || name === 'created')
    return <FieldValue name={name} value={after} />;
  const [old, now] = [before, after].map((value) => plainValue(name, value, account));
  if (!isWhole(field) && old !== null && old !== undefined && now !== null && now !== undefined) {
    if (name === 'body')
      return <ChangedMail before={readableMail(old)} after={readableMail(now)} />;
    return <ChangedText before={old} after={now} />;
  }
  return (
    <>
      <del className={style.gone}>
        <FieldValue name={name} value={before} />
      </del>
      <span aria-hidden="true"> → </span>
      <ins className={style.new}>
        <FieldValue name={name} value={after} />
      </ins>
    </>
  );
}

/** The text of a mail that changes: sentences that were rewritten are read as they would stand. */
function ChangedMail(props: { before: string; after: string }): ReactElement {
  const [shown, show] = useState('Difference');
  return (
    <>
      <SegmentedControl
        {...{ size: 'xs', mb: 'xs', data: ['Difference', 'New text'], value: shown }}
        {...{ onChange: show, 'aria-label': 'How the text is shown' }}
      />
      {shown === 'Difference' ? <ChangedText {...props} /> : <LongText text={props.after} />}
    </>
  );
}

export function ShownValue(props: { kind: ShownRequest['kind']; field: ShownField }): ReactElement {
  const { kind, field } = props;
  if (kind === 'update') return <FieldChange {...field} />;
  return <FieldValue name={field.name} value={kind === 'remove' ? field.before : field.after} />;
}

/** The files of a draft, each to be opened before it is decided. */
const Files = ({ files }: { files: readonly ShownFile[] }): ReactElement => (
  <>
    {files.map(({ filename, mimeType, size, href }, at) => (
      <div key={at}>
        <Anchor {...{ href, size: 'sm', download: filename ?? '', rel: 'noopener' }}>
          <MarkedText text={filename ?? 'Unnamed file'} />
        </Anchor>{' '}
        <Text span size="xs" c="dimmed">
          {[size === undefined ? null : sizeText(size), mimeType].filter(Boolean).join(', ')}
        </Text>
      </div>
    ))}
  </>
);
