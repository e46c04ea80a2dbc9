import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventKeys, publicEventKey } from '@postroom/access';
import { schemaNames, serviceNames, storingServiceNames } from '@postroom/contracts';
import { openInstallation, readInstallation, readJson, writeSecretFile } from './installation.js';

describe('an installation', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postroom-installation-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('is made once and the same ever after', async () => {
    const dataDir = join(folder, 'data');
    expect(await readInstallation(dataDir)).toBeUndefined();
    const made = await openInstallation(dataDir);
    expect(await openInstallation(dataDir)).toEqual(made);
    expect(await readInstallation(dataDir)).toEqual(made);
  });

  it('keeps its secrets when a version brings new ones', async () => {
    const { databasePasswords, ...rest } = await openInstallation(folder);
    const { blobs: _new, ...old } = databasePasswords;
    await writeSecretFile(join(folder, 'installation.json'), { ...rest, databasePasswords: old });
    const completed = await openInstallation(folder);
    expect(completed).toMatchObject({ ...rest, databasePasswords: old });
    expect(completed.databasePasswords.blobs).toHaveLength(44);
    expect(await openInstallation(folder)).toEqual(completed);
  });

  it('has secrets of 32 random bytes, no two alike', async () => {
    const { databasePasswords, callerKeys, secretsKeys } = await openInstallation(folder);
    const all = [...Object.values(databasePasswords), ...Object.values(callerKeys)];
    const [id, ring] = secretsKeys.split(':');
    expect(id).toBe('k1');
    for (const secret of [...all, ring ?? '']) {
      expect(Buffer.from(secret, 'base64')).toHaveLength(32);
    }
    expect(new Set([...all, ring]).size).toBe(schemaNames.length + serviceNames.length + 1);
  });

  it('has a key that signs events for every service that publishes some', async () => {
    const { eventKeys } = await openInstallation(folder);
    const publicKeys = storingServiceNames.map(
      (name) => `${name}:${publicEventKey(eventKeys[name])}`,
    );
    for (const name of storingServiceNames) {
      const keys = new EventKeys(name, eventKeys[name], publicKeys);
      expect(keys.signerOf('content', keys.sign('content'))).toBe(name);
    }
    expect(new Set(publicKeys).size).toBe(storingServiceNames.length);
  });

  it('is read by nobody else, and replaced as a whole', async () => {
    const file = join(folder, 'deep', 'secret.json');
    await writeSecretFile(file, { a: 1 });
    await writeSecretFile(file, { b: 'é' });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readJson(file)).toEqual({ b: 'é' });
    expect(await readdir(join(folder, 'deep'))).toEqual(['secret.json']);
  });

  it('that cannot be read is an error, and not made anew', async () => {
    await writeFile(join(folder, 'installation.json'), '{');
    await expect(openInstallation(folder)).rejects.toThrow(SyntaxError);
    await expect(readJson(folder)).rejects.toMatchObject({ code: 'EISDIR' });
  });
});
