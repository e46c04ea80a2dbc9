import { describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { threadFile } from '@postroom/service/threads';

/** Prints the packages that loading a module loads. */
const program = (module: URL): string => `
  import { registerHooks } from 'node:module';
  const found = new Set();
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      const [, name] = /.*[/]node_modules[/]((?:@[^/]+[/])?[^/]+)/.exec(resolved.url) ?? [];
      if (name) found.add(name);
      return resolved;
    },
  });
  await import('${module.href}').catch((error) => {
    // It throws this once it has loaded all that it needs.
    if (error.message !== 'This module runs in a thread.') throw error;
  });
  process.stdout.write(JSON.stringify([...found]));`;

async function packagesOf(name: string): Promise<string[]> {
  const { filename, execArgv } = threadFile(import.meta.url, name);
  const code = program(pathToFileURL(filename));
  const args = [...execArgv, '--input-type=module', '--eval', code];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as string[];
}

describe('the inbound thread', () => {
  it('loads neither Nest nor Kafka nor the validation of requests', async () => {
    const packages = await packagesOf('inbound.worker');
    expect(packages).toEqual(expect.arrayContaining(['pg', 'pino', 'smtp-server', 'typeorm']));
    const frameworks = /^((@nestjs|@fastify)[/].*|class-.*|fastify|kafkajs|prom-client|rxjs)$/;
    expect(packages.filter((name) => frameworks.test(name))).toEqual([]);
  });
});
