import { Anchor, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { sizeText } from '../../compose/words.js';
import { MarkedText } from '../../ui/marked-text.js';
import type { ShownFile } from './fields.js';

/** The files of a draft, each to be opened before it is decided. */
export const Files = ({ files }: { files: readonly ShownFile[] }): ReactElement => (
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
