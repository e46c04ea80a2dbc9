import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { root } from '../run/child.mjs';
import { roomTags } from './rooms.mjs';

it('every package is in exactly one room', async () => {
  for await (const file of glob('{apps,libs}/*/package.json', { cwd: root })) {
    const { nx } = JSON.parse(await readFile(join(root, file), 'utf8'));
    const rooms = nx.tags.filter((tag) => tag.startsWith('room:'));
    expect({ file, rooms }).toEqual({ file, rooms: [expect.any(String)] });
    expect(roomTags).toContain(rooms[0]);
  }
});
