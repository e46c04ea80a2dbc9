import { describe, expect, it } from '@jest/globals';
import {
  AttachedFiles,
  fieldsOf,
  ListOf,
  Part,
  streamedParts,
  Text,
  type AttachedFile,
} from './index.js';

class Inner {
  @Text('A text.', { max: 5 })
  text!: string;

  @AttachedFiles('Files.', { streamed: true })
  files!: AttachedFile[];
}

class Outer {
  @AttachedFiles('Files that stay.')
  staying!: AttachedFile[];

  @Part(() => Inner, 'One.')
  one!: Inner;

  @ListOf(() => Inner, 'Many.', { max: 3 })
  many!: Inner[];
}

describe('partsApart', () => {
  it('finds what is put apart, within parts and lists of them, and nothing else', () => {
    expect(streamedParts(fieldsOf(Outer)).map(({ path }) => path.join('.'))).toEqual([
      'one.files.*.contentBase64',
      'many.*.files.*.contentBase64',
    ]);
    expect(streamedParts(fieldsOf(Inner))).toEqual([
      {
        path: ['files', '*', 'contentBase64'],
        property: 'contentBase64',
        countMax: 50,
        charactersMax: 26_214_400,
      },
    ]);
  });
});
